"""What games came to for their players: won, drawn, lost, points, faults, times, and the results of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from noughts.matches.record import GameRecord
from noughts.matches.statistics import Pentanomial


@dataclass(kw_only=True)
class Timed:
    """Something that knows the seconds of a player's moves."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median_seconds(self) -> float:
        """0 if there were no moves."""
        return median(self.seconds) if self.seconds else 0.0

    @property
    def worst_seconds(self) -> float:
        """Of the longest move; 0 if there were none."""
        return max(self.seconds, default=0.0)

    def late_moves(self, limit: float) -> int:
        """How many moves took longer. Nobody stops a built-in player; a bot that was not stopped lacked a processor."""
        return sum(taken > limit for taken in self.seconds)


def seconds_of(record: GameRecord, seat: int) -> list[float]:
    """The times of the moves that one player chose."""
    movers = [state.current_player() for state, action in record.states() if action is not None]
    timed = list(zip(movers, record.seconds, strict=True))[record.opening :]
    return [taken for mover, taken in timed if mover == seat]


def thinking_times(record: GameRecord) -> tuple[float, float]:
    """The sums of both players' times."""
    totals = [0.0, 0.0]
    state = record.game.new_initial_state()
    for action, taken in zip(record.moves, record.seconds, strict=True):
        totals[state.current_player()] += taken
        state.apply_action(action)
    return totals[0], totals[1]


@dataclass
class Standing(Timed):
    """One player's share of some games.

    seconds: of all its moves. faults: how many of each kind. told: each different thing that was said of its
    faults and warnings, with the number of the first game where it was.
    """

    name: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    told: dict[str, int] = field(default_factory=dict)

    def add(self, record: GameRecord) -> None:
        """Count a game of the player."""
        seat = record.seat_of(self.name)
        score = record.score(seat)
        self.won += score == 1
        self.drawn += score == 0.5
        self.lost += score == 0
        self.points += record.points[seat]
        self.seconds += seconds_of(record, seat)
        if record.fault is not None and record.faulty == seat:
            self.faults[record.fault.kind] += 1
            self.told.setdefault(record.fault.text, record.number)
        warning = record.warnings[seat]
        if warning is not None:
            self.told.setdefault(warning, record.number)


def standings(names: tuple[str, str], records: Iterable[GameRecord]) -> tuple[Standing, Standing]:
    """Both players' shares of a match."""
    first, second = Standing(names[0]), Standing(names[1])
    for record in records:
        first.add(record)
        second.add(record)
    return first, second


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
