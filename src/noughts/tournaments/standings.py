"""Tables as the course makes them: points are summed, and ties are broken in a fixed order.

The order of a table: 1. points; 2. games won; 3. points in the games among those who are equal so far; 4. fewer points
given up; 5. a lot, drawn by the seed. Where contestants have played different numbers of games, `by="rate"` compares
points and wins *for each game* instead of sums; `by="auto"` does that if they have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from noughts.tournaments.results import Result, lot, many_tuples

By = Literal["points", "rate", "auto"]
TIE_BREAKS = "won", "among equals", "given up", "lot"
"""What is compared, in this order, where points are equal."""


@dataclass(slots=True)
class Row:
    """One contestant's line of a table.

    given_up: points of the opponents. faults: games lost by a fault of its own. tie_break: what puts it below the line
    above where both have as many points (see TIE_BREAKS), else ''.
    """

    name: str
    place: int = 0
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: int = 0
    given_up: int = 0
    faults: int = 0
    tie_break: str = ""

    @property
    def score(self) -> float:
        """Share of the games won, draws counted half; 0 without games."""
        return (self.won + self.drawn / 2) / self.games if self.games else 0.0

    @property
    def points_per_game(self) -> float:
        """0 without games."""
        return self.points / self.games if self.games else 0.0

    def add(self, ours: int, theirs: int, fault: bool, games: int) -> None:
        """Count so many games that ended with these points, by a fault of the contestant or not."""
        self.games += games
        if ours > theirs:
            self.won += games
        elif ours == theirs:
            self.drawn += games
        else:
            self.lost += games
        self.points += ours * games
        self.given_up += theirs * games
        self.faults += games if fault else 0


Outcomes = Counter[tuple[str, str, tuple[int, int], int | None]]
"""How often two met, seat by seat, with these points and this seat's fault: many games have few different outcomes."""


def standings(results: Iterable[Result], names: Iterable[str] = (), *, by: By = "points", seed: int = 0) -> list[Row]:
    """The table of these games, best first. names: who has a row even without a game."""
    with many_tuples():
        outcomes: Outcomes = Counter([(fixture[0], fixture[1], points, fault) for fixture, points, _, fault in results])
    rows = {name: Row(name) for name in names}
    for (first, second, points, fault), games in outcomes.items():
        for seat, name in enumerate((first, second)):
            if name not in rows:
                rows[name] = Row(name)
            rows[name].add(points[seat], points[1 - seat], fault == seat, games)
    if by == "auto":
        by = "rate" if len({row.games for row in rows.values()}) > 1 else "points"
    table = _ordered(list(rows.values()), outcomes, by, seed)
    for place, row in enumerate(table, 1):
        row.place = place
    return table


def tables(results: Iterable[Result], *, by: By = "points", seed: int = 0) -> dict[tuple[str, int], list[Row]]:
    """A table for each (stage, pool), in the order in which they were first played in."""
    parts: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        parts.setdefault((result.fixture.stage, result.fixture.pool), []).append(result)
    return {part: standings(played, by=by, seed=seed) for part, played in parts.items()}


def _ordered(rows: list[Row], outcomes: Outcomes, by: By, seed: int) -> list[Row]:
    def sums(row: Row) -> tuple[float, float]:
        each = max(1, row.games) if by == "rate" else 1
        return -row.points / each, -row.won / each

    equals = [list(group) for _, group in groupby(sorted(rows, key=sums), key=sums)]
    group_of = {row.name: number for number, group in enumerate(equals) if len(group) > 1 for row in group}
    among = _points_among(outcomes, group_of) if group_of else {}

    def rest(row: Row) -> tuple[float, float, int, str]:
        given_up = row.given_up / max(1, row.games) if by == "rate" else row.given_up
        return -among.get(row.name, 0), given_up, lot(seed, "table", row.name), row.name

    table = [row for group in equals for row in (sorted(group, key=rest) if len(group) > 1 else group)]
    for above, below in pairwise(table):
        keys = [(*sums(row)[1:], *rest(row)[:3]) for row in (above, below)]
        if sums(above)[0] == sums(below)[0]:
            differing = (name for name, one, other in zip(TIE_BREAKS, *keys, strict=True) if one != other)
            below.tie_break = next(differing, TIE_BREAKS[-1])
    return table


def _points_among(outcomes: Outcomes, group_of: dict[str, int]) -> dict[str, int]:
    """Points of each in the games against others of its own group."""
    points: dict[str, int] = {}
    for (first, second, gained, _), games in outcomes.items():
        group = group_of.get(first)
        if group is not None and group == group_of.get(second):
            points[first] = points.get(first, 0) + gained[0] * games
            points[second] = points.get(second, 0) + gained[1] * games
    return points
