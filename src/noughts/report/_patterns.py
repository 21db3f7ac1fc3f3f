"""Finds a bot's weaknesses: patterns over all its games, in plain words with counts, compared with the others.

A rate is reported if it is at least 1.5 times that of the others, or at most two thirds of it, and the difference is
significant (twice its standard error, for Poisson counts).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from statistics import median

from noughts.analysis.mistakes import ALLOWED_WIN, MISSED_WIN, Mistake, Review
from noughts.matches.record import GameRecord
from noughts.matches.tally import Tally
from noughts.sandbox.faults import TIME

OFTEN, SELDOM = 1.5, 0.67
SURE = 2.0
FEWEST = 5
"""A rate from fewer cases is not reported."""
OPENING = 20
"""Plies of the opening, in a game of 60 or more; else the first third."""
NEAR_LIMIT = 0.8
RATES = {
    "mistakes": ("makes mistakes", "undecided"),
    "open_given": ("gives the opponent an open move", "moves"),
    "blocks_given": ("lets the opponent take a block at once", "moves"),
    "bonus_missed": ("leaves a block with its bonus move untaken", "moves"),
}
"""Counts that are reported per hundred cases, and what the cases are. In lost and won positions hardly any move counts
as a mistake, so a team that is soon lost would seem to make few.
"""
CASES = {"moves": "per 100 moves", "undecided": "per 100 moves in undecided positions"}
FAULT_WORDS = {
    "time": "out of time",
    "crash": "by a crash",
    "tamper": "for changing the board",
    "invalid": "by an invalid move",
    "forbidden": "for something forbidden",
    "memory": "for lack of memory",
}


@dataclass(frozen=True, eq=False)
class ReviewedGame:
    """A game with its place in the tournament, and its review if there is one."""

    number: int
    stage: str
    pool: int
    round: int
    record: GameRecord
    review: Review | None

    def seats_of(self, name: str) -> list[int]:
        return [seat for seat in (0, 1) if self.record.players[seat] == name]


HabitCounts = Counter[str]
"""Sums over the reviews of a contestant's games: games reviewed, moves and mistakes in undecided positions, games with
a missed or an allowed win, and the counts of `Habits`."""


def patterns(reviewed: Sequence[ReviewedGame], names: Sequence[str], limit: float) -> dict[str, list[str]]:
    """Returns sentences on each contestant, the most important first."""
    games: dict[str, list[tuple[ReviewedGame, int]]] = {name: [] for name in names}
    for one in reviewed:
        for name in dict.fromkeys(one.record.players):
            if name in games:
                games[name] += [(one, seat) for seat in one.seats_of(name)]
    counts = {name: _counts(games[name]) for name in names}
    return {name: list(_sentences(name, games[name], counts, limit)) for name in names}


def _counts(games: Sequence[tuple[ReviewedGame, int]]) -> HabitCounts:
    total = HabitCounts()
    for one, seat in games:
        if one.review is not None:
            mistakes = one.review.mistakes_of(seat)
            kinds = [mistake.kind for mistake in mistakes]
            undecided = one.review.undecided(one.record, seat)
            total.update(asdict(one.review.habits[seat]), reviewed=1, undecided=len(undecided))
            total.update(mistakes=sum(mistake.ply in undecided for mistake in mistakes))
            total.update(missed_wins=MISSED_WIN in kinds, allowed_wins=ALLOWED_WIN in kinds)
    return total


def _sentences(
    name: str, games: Sequence[tuple[ReviewedGame, int]], counts: Mapping[str, HabitCounts], limit: float
) -> Iterator[str]:
    by_seat = Tally(), Tally()
    for one, seat in games:
        by_seat[seat].add_game(one.record, seat)
    yield from _of_faults(*by_seat)
    yield from _of_losses(games)
    others = [other for each, other in counts.items() if each != name]
    yield from _of_wins(counts[name])
    for what, (words, cases) in RATES.items():
        yield from _of_rate(counts[name], others, what, words, cases)
    yield from _of_seats(*by_seat)
    yield from _of_time(*by_seat, limit)


def _of_faults(first: Tally, second: Tally) -> Iterator[str]:
    kinds = first.forfeits + second.forfeits
    if kinds:
        words = ", ".join(f"{count} {FAULT_WORDS[kind]}" for kind, count in kinds.most_common())
        losses = _count(first.lost + second.lost, "loss", "losses")
        yield f"{kinds.total()} of {losses} were forfeits: {words}."


def _of_losses(games: Sequence[tuple[ReviewedGame, int]]) -> Iterator[str]:
    """Yields sentences on when its lost games were decided."""
    decisive: list[tuple[Mistake, int]] = []
    reviewed = 0
    for one, seat in games:
        if one.review is None or one.record.score(seat) != 0 or one.record.fault is not None:
            continue
        reviewed += 1
        decisive += [(mistake, len(one.record.moves)) for mistake in one.review.mistakes_of(seat) if mistake.decisive]
    if reviewed < 2:
        return
    length = median(moves for _, moves in decisive) if decisive else 0
    opening = OPENING if length >= 3 * OPENING else max(1, round(length / 3))
    early = sum(mistake.ply < opening for mistake, _ in decisive)
    late = sum(mistake.ply >= moves * 2 / 3 for mistake, moves in decisive)
    if early >= max(2, 0.4 * reviewed):
        yield f"{early} of {reviewed} losses on the board were decided in the opening {opening} moves."
    if late >= max(2, 0.4 * reviewed):
        yield f"{late} of {reviewed} losses on the board were decided in the last third of the game."
    slipped = reviewed - len(decisive)
    if slipped >= max(2, 0.4 * reviewed):
        yield f"In {slipped} of {reviewed} losses on the board no single move decided the game."


def _of_wins(mine: HabitCounts) -> Iterator[str]:
    if mine["missed_wins"]:
        yield f"Missed a proven win in {mine['missed_wins']} of {_count(mine['reviewed'], 'game', 'games')}."
    if mine["allowed_wins"] >= 2:
        yield f"Gave the opponent a proven win by one move in {mine['allowed_wins']} of {mine['reviewed']} games."


def _of_rate(mine: HabitCounts, others: Sequence[HabitCounts], what: str, words: str, cases: str) -> Iterator[str]:
    """Yields a rate per hundred cases, compared with that of the others."""
    count, moves = mine[what], mine[cases]
    total, all_moves = sum(other[what] for other in others), sum(other[cases] for other in others)
    if not moves or not all_moves or max(count, total * moves / all_moves) < FEWEST:
        return
    rate, usual = count / moves, total / all_moves
    error = sqrt(max(count, 1) / moves**2 + max(total, 1) / all_moves**2)
    if abs(rate - usual) < SURE * error:
        return
    numbers = f"{100 * rate:.1f} against {100 * usual:.1f} {CASES[cases]}"
    if usual == 0 or rate >= OFTEN * usual:
        yield f"It {words} {_times(rate, usual)} the others ({numbers})."
    elif rate <= SELDOM * usual:
        yield f"It {words} less often than the others ({numbers})."


def _times(rate: float, usual: float) -> str:
    times = rate / usual if usual else 99.0
    if times >= 9.5:
        return "far more often than"
    if times >= 2.5:
        return f"{times:.0f} times as often as"
    return "twice as often as" if times >= 1.75 else "1.5 times as often as"


def _of_seats(first: Tally, second: Tally) -> Iterator[str]:
    if min(first.games, second.games) < FEWEST:
        return
    error = sqrt(0.25 / first.games + 0.25 / second.games)
    if abs(first.score - second.score) >= SURE * error:
        better, worse = ("first", "second") if first.score > second.score else ("second", "first")
        high, low = max(first.score, second.score), min(first.score, second.score)
        yield f"Moving {better} it scores {high:.0%}, moving {worse} {low:.0%}."


def _of_time(first: Tally, second: Tally, limit: float) -> Iterator[str]:
    taken = [*first.seconds, *second.seconds]
    if not taken or limit == inf:
        return
    share = sum(taken) / (len(taken) * limit)
    near = sum(seconds >= NEAR_LIMIT * limit for seconds in taken)
    late = first.forfeits[TIME] + second.forfeits[TIME]
    if late or near >= max(2, 0.01 * len(taken)):
        near_limit = f"{near} of {len(taken)} moves took {NEAR_LIMIT:.0%} of the limit or more"
        yield f"In time trouble: {near_limit}" + (
            f", and {_count(late, 'game was', 'games were')} lost on time." if late else "."
        )
    if share < 0.1:
        amount = f"{share:.0%}" if share >= 0.01 else "less than 1%"
        yield f"Uses {amount} of its time: it could search deeper."


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
