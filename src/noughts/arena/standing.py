"""What a match came to, for each of its players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from noughts.arena.record import GameRecord


@dataclass
class Standing:
    """One player's share. A game without a line is won by the player with more points.

    seconds: of all its moves. faults: how many of each kind. told: each different thing that was said of its
    faults and warnings, with the number of the first game where it was.
    """

    name: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    seconds: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    told: dict[str, int] = field(default_factory=dict)

    @property
    def median_seconds(self) -> float:
        return median(self.seconds) if self.seconds else 0.0

    @property
    def worst_seconds(self) -> float:
        return max(self.seconds, default=0.0)

    def add(self, record: GameRecord, seat: int, number: int) -> None:
        """Count a game in which the player had this seat."""
        margin = record.points[seat] - record.points[1 - seat]
        self.won += margin > 0
        self.drawn += margin == 0
        self.lost += margin < 0
        self.points += record.points[seat]
        self.seconds += seconds_of(record, seat)
        if record.fault is not None and record.faulty == seat:
            self.faults[record.fault.kind] += 1
            self.told.setdefault(record.fault.text, number)
        warning = record.warnings[seat]
        if warning is not None:
            self.told.setdefault(warning, number)


def seconds_of(record: GameRecord, seat: int) -> list[float]:
    """The times of one player's moves."""
    movers = [state.current_player() for state, action in record.states() if action is not None]
    return [taken for mover, taken in zip(movers, record.seconds, strict=True) if mover == seat]


def standings(names: tuple[str, str], records: Iterable[GameRecord]) -> tuple[Standing, Standing]:
    """Both players' shares of a match, whose odd games were started by the second."""
    both = Standing(names[0]), Standing(names[1])
    for number, record in enumerate(records):
        for side, standing in enumerate(both):
            standing.add(record, side ^ (number % 2), number)
    return both
