"""Tables: sums points, and breaks ties in a fixed order.

A table is ordered by 1. points; 2. games won; 3. points in the games among tied contestants; 4. fewer points conceded;
5. a random draw by the seed. If contestants have played different numbers of games, `by="rate"` compares points and
wins *per game* instead of sums; `by="auto"` does so if needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Literal

from noughts.matches.tally import Tally
from noughts.tournaments.results import Result, gc_paused, random_number

By = Literal["points", "rate", "auto"]
FAULT = "fault"
"""The kind of forfeits in tables, which do not distinguish them."""
TIE_BREAKS = "won", "among equals", "points conceded", "lot"
"""The measures compared, in this order, if points are equal."""
BY_RATING, BY_STAGE, BY_RATE, BY_POINTS = "rating", "stage reached", "points a game", "points"
"""What can order contestants."""


Outcomes = Counter[tuple[str, str, tuple[int, int], int | None]]
"""The number of games with the same seats, points and fault: many games have few different outcomes."""


def standings(results: Iterable[Result], names: Iterable[str] = (), *, by: By = "points", seed: int = 0) -> list[Tally]:
    """Returns the table of these games, best first. names: contestants with a row even without games."""
    outcomes = _outcomes(results)
    rows = {name: Tally(name) for name in names}
    for (first, second, points, fault), games in outcomes.items():
        for seat, name in enumerate((first, second)):
            if name not in rows:
                rows[name] = Tally(name)
            kind = None if fault is None else FAULT
            rows[name].add(points[seat], points[1 - seat], fault=kind, own=fault == seat, games=games)
    if by == "auto":
        by = "rate" if len({row.games for row in rows.values()}) > 1 else "points"
    table = _ordered(list(rows.values()), outcomes, by, seed)
    for place, row in enumerate(table, 1):
        row.place = place
    return table


def head_to_head(results: Iterable[Result]) -> dict[tuple[str, str], Tally]:
    """Returns the results of each contestant against each other, by (name, opponent)."""
    found: dict[tuple[str, str], Tally] = {}
    for (first, second, points, _), games in _outcomes(results).items():
        for seat, pair in enumerate(((first, second), (second, first))):
            found.setdefault(pair, Tally(pair[0])).add(points[seat], points[1 - seat], games=games)
    return found


def cross_table(results: Iterable[Result], names: Sequence[str]) -> dict[str, list[list[float]]]:
    """Returns each contestant's score against each other, and the number of games behind it: a row each."""
    met = head_to_head(results)
    rows = [[met.get((one, other), Tally()) for other in names] for one in names]
    return {
        "score": [[tally.total_score for tally in row] for row in rows],
        "played": [[tally.games for tally in row] for row in rows],
    }


def _outcomes(results: Iterable[Result]) -> Outcomes:
    with gc_paused():
        return Counter([(fixture[0], fixture[1], points, fault) for fixture, points, fault in results])


def tables(results: Iterable[Result], *, by: By = "points", seed: int = 0) -> dict[tuple[str, int], list[Tally]]:
    """Returns a table for each (stage, pool), in order of their first games."""
    parts: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        parts.setdefault((result.fixture.stage, result.fixture.pool), []).append(result)
    return {part: standings(played, by=by, seed=seed) for part, played in parts.items()}


def _ordered(rows: list[Tally], outcomes: Outcomes, by: By, seed: int) -> list[Tally]:
    def sums(row: Tally) -> tuple[float, float]:
        each = max(1, row.games) if by == "rate" else 1
        return -row.points / each, -row.won / each

    equals = [list(group) for _, group in groupby(sorted(rows, key=sums), key=sums)]
    group_of = {row.name: number for number, group in enumerate(equals) if len(group) > 1 for row in group}
    among = _points_among(outcomes, group_of) if group_of else {}

    def rest(row: Tally) -> tuple[float, float, int, str]:
        against = row.points_against / max(1, row.games) if by == "rate" else row.points_against
        return -among.get(row.name, 0), against, random_number(seed, "table", row.name), row.name

    table = [row for group in equals for row in (sorted(group, key=rest) if len(group) > 1 else group)]
    for above, below in pairwise(table):
        keys = [(*sums(row)[1:], *rest(row)[:3]) for row in (above, below)]
        if sums(above)[0] == sums(below)[0]:
            differing = (name for name, one, other in zip(TIE_BREAKS, *keys, strict=True) if one != other)
            below.tie_break = next(differing, TIE_BREAKS[-1])
    return table


def _points_among(outcomes: Outcomes, group_of: dict[str, int]) -> dict[str, int]:
    """Returns the points of each contestant in the games inside its group."""
    points: dict[str, int] = {}
    for (first, second, gained, _), games in outcomes.items():
        group = group_of.get(first)
        if group is not None and group == group_of.get(second):
            points[first] = points.get(first, 0) + gained[0] * games
            points[second] = points.get(second, 0) + gained[1] * games
    return points
