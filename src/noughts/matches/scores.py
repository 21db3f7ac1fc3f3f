"""How long a player's moves took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from noughts.matches.record import GameRecord
from noughts.matches.statistics import Pairs


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


# What a match came to, for each of its players.


@dataclass
class Standing(Timed):
    """One player's share. A game without a line is won by the player with more points.

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


def paired(records: Sequence[GameRecord]) -> Pairs:
    """The results of a match by pairs of games, for its first player. A last game without its pair does not count."""
    pairs = Pairs()
    for first, second in zip(records[::2], records[1::2], strict=False):
        pairs = pairs.add(_score(first, 0), _score(second, 1))
    return pairs


def _score(record: GameRecord, seat: int) -> float:
    """1, 1/2 or 0, by who has more points."""
    margin = record.points[seat] - record.points[1 - seat]
    return 0.5 if margin == 0 else float(margin > 0)


def standings(names: tuple[str, str], records: Iterable[GameRecord]) -> tuple[Standing, Standing]:
    """Both players' shares of a match, whose odd games were started by the second."""
    both = Standing(names[0]), Standing(names[1])
    for number, record in enumerate(records):
        for side, standing in enumerate(both):
            standing.add(record, side ^ (number % 2), number)
    return both
