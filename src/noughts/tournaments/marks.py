"""Marks: the course's 50, or thresholds against staff bots; as CSV and for Gradescope.

Every part of a mark is rounded to hundredths, and the total is the sum of the rounded parts, so that it can be checked
by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from noughts.course.lms import Extra
from noughts.course.roster import Student
from noughts.course.thresholds import Threshold
from noughts.matches.tally import Tally
from noughts.printable import csv_text
from noughts.tournaments._formats import FINAL, GROUP, SEMI_FINAL
from noughts.tournaments._ratings import Rating
from noughts.tournaments.names import name_key
from noughts.tournaments.results import Result
from noughts.tournaments.standings import tables

COURSE_MARKS: Mapping[str, float] = {GROUP: 30, SEMI_FINAL: 10, FINAL: 10}
HUNDREDTHS = 2


@dataclass(frozen=True)
class Part:
    """Marks for one thing, and why they are so many."""

    name: str
    marks: float
    out_of: float
    why: str


@dataclass(frozen=True)
class Mark:
    """What one team gets. factor: multiplies the sum of its parts, 0 for plagiarism."""

    name: str
    parts: tuple[Part, ...]
    factor: float = 1.0

    @property
    def marks(self) -> float:
        return round(self.factor * sum(part.marks for part in self.parts), HUNDREDTHS)

    @property
    def out_of(self) -> float:
        return round(sum(part.out_of for part in self.parts), HUNDREDTHS)


def course_marks(
    results: Iterable[Result],
    names: Sequence[str],
    *,
    staff: Collection[str] = (),
    out_of: Mapping[str, float] = COURSE_MARKS,
) -> list[Mark]:
    """Marks of the teams, in the order of the names.

    In each stage a team gets its share of the marks in proportion to the points of the best team of its pool. staff:
    names that get none and are nobody's measure. A sum of points below 0 counts as 0; if the best has none, whoever has
    as many as the best gets all.
    """
    found: dict[tuple[str, str], Part] = {}
    for (stage, pool), table in tables(results).items():
        teams = [row for row in table if row.name not in staff]
        best = max((row.points for row in teams), default=0)
        for row in teams:
            why = f"pool {pool}: {row.points} points, and the best of the pool has {best}"
            found[row.name, stage] = _in_proportion(stage, row.points, best, out_of.get(stage, 0), why)
    return [
        Mark(
            name,
            tuple(found.get((name, stage)) or Part(stage, 0, full, "not reached") for stage, full in out_of.items()),
        )
        for name in names
        if name not in staff
    ]


def ordered_marks(
    measures: Mapping[str, float],
    names: Sequence[str],
    *,
    staff: Collection[str] = (),
    part: str,
    unit: str,
    out_of: float,
) -> list[Mark]:
    """Marks of the teams, in the order of the names, in proportion to what the table is ordered by.

    measures: of each who plays, in this unit. staff: names that get no marks and are nobody's measure. A measure below
    0 counts as 0; if the best has none, all who have as much as the best get all.
    """
    teams = [name for name in names if name not in staff]
    best = max((measures[name] for name in teams if name in measures), default=0.0)
    return [
        Mark(
            name,
            (
                _in_proportion(
                    part, measures[name], best, out_of, f"{measures[name]:.4g} {unit}, the best has {best:.4g}"
                ),
            ),
        )
        if name in measures
        else Mark(name, (Part(part, 0, out_of, "did not play"),))
        for name in teams
    ]


def gauntlet_marks(results: Iterable[Result], name: str, staff: Sequence[str], out_of: float) -> Mark:
    """Marks of a team for its games against the staff: each opponent is worth as much, in proportion to games won."""
    scores: dict[str, list[float]] = {other: [] for other in staff}
    for result in results:
        if result.first == name and result.second in scores:
            scores[result.second].append(result.score)
        elif result.second == name and result.first in scores:
            scores[result.first].append(1.0 - result.score)
    parts: list[Part] = []
    for number, (other, won) in enumerate(scores.items(), 1):
        share = sum(won) / max(1, len(won))
        full = round(out_of * number / len(scores) - sum(part.out_of for part in parts), HUNDREDTHS)
        why = f"{share:.1%} of {len(won)} games, draws counted half"
        parts.append(Part(f"against {other}", round(full * share, HUNDREDTHS), full, why))
    return Mark(name, tuple(parts))


def _in_proportion(name: str, measure: float, best: float, out_of: float, why: str) -> Part:
    share = max(0.0, measure) / best if best > 0 else float(measure == best)
    return Part(name, round(out_of * share, HUNDREDTHS), out_of, why)


def threshold_marks(results: Iterable[Result], names: Sequence[str], thresholds: Sequence[Threshold]) -> list[Mark]:
    """Marks of the teams, in the order of the names: all of a threshold's for a score that reaches it, else none.

    ValueError if a threshold is against somebody who has not played.
    """
    scores: dict[tuple[str, str], list[float]] = {}
    seen: set[str] = set()
    for result in results:
        seen.update((result.first, result.second))
        scores.setdefault((result.first, result.second), []).append(result.score)
        scores.setdefault((result.second, result.first), []).append(1.0 - result.score)
    for threshold in thresholds:
        if threshold.against not in seen:
            raise ValueError(
                f"a threshold is against {threshold.against!r}, who has not played; name a bot of this tournament"
            )
    staff = {threshold.against for threshold in thresholds}
    return [
        Mark(name, tuple(_reached(threshold, scores.get((name, threshold.against), [])) for threshold in thresholds))
        for name in names
        if name not in staff
    ]


def _reached(threshold: Threshold, scores: Sequence[float]) -> Part:
    if not scores:
        return Part(threshold.title, 0, threshold.marks, f"no games against {threshold.against}")
    score = sum(scores) / len(scores)
    marks = threshold.marks if score >= threshold.score else 0
    return Part(threshold.title, marks, threshold.marks, f"{score:.1%} of {len(scores)} games")


def merged(marks: Sequence[Mark], extra: Extra, keys: Sequence[str]) -> list[Mark]:
    """Returns the marks with those that were given by hand. keys: the team or id of each mark.

    ValueError if they are for somebody who is not there.
    """
    if strangers := [name for name in extra.rows if name not in keys]:
        raise ValueError(f"there are further marks for {', '.join(map(repr, strangers[:5]))}, who is not in the list")
    nothing = (0.0,) * len(extra.parts), 1.0
    found = []
    for mark, name in zip(marks, keys, strict=True):
        given, factor = extra.rows.get(name, nothing)
        more = [
            Part(title, value, out_of, "given by the staff" if name in extra.rows else "no marks were given")
            for (title, out_of), value in zip(extra.parts, given, strict=True)
        ]
        found.append(replace(mark, parts=(*mark.parts, *more), factor=mark.factor * factor))
    return found


def to_csv(marks: Sequence[Mark], students: Sequence[Student] = ()) -> str:
    """Returns a line for each team: its name, its marks, what they are out of, and the parts.

    students: of each mark; then there is a line for each student.
    """
    factors = any(mark.factor != 1 for mark in marks)
    who = ["name", "id", "email"] if students else []
    parts = [part.name for mark in marks[:1] for part in mark.parts]
    rows: list[list[str]] = [["team", *who, "marks", "out of", *parts, *(["factor"] if factors else [])]]
    for number, mark in enumerate(marks):
        numbers = (mark.marks, mark.out_of, *(part.marks for part in mark.parts), *([mark.factor] if factors else []))
        person = [students[number].name, students[number].id, students[number].email] if students else []
        rows.append([mark.name, *person, *(f"{value:.2f}" for value in numbers)])
    return csv_text(rows)


def by_student(marks: Sequence[Mark], roster: Iterable[Student]) -> tuple[list[Mark], list[Student]]:
    """Returns one mark for each student of a roster, and the students. Students without a bot get nothing."""
    teams = {name_key(mark.name): mark for mark in marks}
    parts = tuple(replace(part, marks=0, why="handed in nothing") for mark in marks[:1] for part in mark.parts)
    students = list(roster)
    return [teams.get(name_key(student.team)) or Mark(student.team, parts) for student in students], students


def gradescope(mark: Mark, row: Tally | None = None, rating: Rating | None = None) -> dict[str, Any]:
    """What goes into the `results.json` of one team: its marks as tests, and its entries of the leaderboard.

    row, rating: the team's line of the table and its rating, for the leaderboard.
    """
    leaderboard: list[dict[str, object]] = [{"name": "Marks", "value": mark.marks}]
    if row is not None:
        leaderboard += [
            {"name": "Place", "value": row.place, "order": "asc"},
            {"name": "Points", "value": row.points},
            {"name": "Points per game", "value": round(row.points_per_game, HUNDREDTHS)},
            {"name": "Games won, %", "value": round(100 * row.score, 1)},
        ]
    if rating is not None:
        leaderboard.append({"name": "Elo", "value": round(rating.elo)})
    return {
        "score": mark.marks,
        "output": f"{mark.marks:.2f} of {mark.out_of:.2f} marks",
        "output_format": "text",
        "tests": [
            {
                "name": part.name,
                "score": part.marks,
                "max_score": part.out_of,
                "output": part.why,
                "output_format": "text",
            }
            for part in mark.parts
        ],
        "leaderboard": leaderboard,
    }
