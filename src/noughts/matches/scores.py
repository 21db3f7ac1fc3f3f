"""What games say beside the tallies of their players: thinking times, repetitions, the results of pairs."""

from __future__ import annotations

from collections.abc import Iterable

from noughts.matches.record import GameRecord
from noughts.matches.statistics import Pentanomial


def thinking_times(record: GameRecord) -> tuple[float, float]:
    """The sums of both players' times."""
    totals = [0.0, 0.0]
    state = record.game.new_initial_state()
    for action, taken in zip(record.moves, record.seconds, strict=True):
        totals[state.current_player()] += taken
        state.apply_action(action)
    return totals[0], totals[1]


def different_games(records: Iterable[GameRecord]) -> int:
    """How many games are not repetitions of others by the same players in the same seats."""
    return len({(record.players, tuple(record.moves), record.reason) for record in records})


def repetitions(different: int, games: int) -> str:
    """What to say of games that are no new evidence."""
    return (
        f"Only {different} different game{'s' * (different != 1)} of {games}: the others repeat them move by move, and "
        "are no new evidence. --openings N begins each pair with N random moves."
    )


def paired(records: Iterable[GameRecord], name: str) -> Pentanomial:
    """The results of a match by rounds of two games, for one of its players. A game without its pair does not count."""
    pairs = Pentanomial()
    waiting: dict[int, float] = {}
    for record in records:
        score = record.score(record.seat_of(name))
        if record.round in waiting:
            pairs = pairs.add(waiting.pop(record.round), score)
        else:
            waiting[record.round] = score
    return pairs
