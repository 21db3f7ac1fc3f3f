"""Computes marks: the course's 50, or thresholds against staff bots; as CSV and for Gradescope.

Every part of a mark is rounded to hundredths, and the total is the sum of the rounded parts, so that it can be checked
by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from noughts.course.lms import Extra
from noughts.course.roster import Roster, Student
from noughts.course.submissions import NOTHING
from noughts.course.thresholds import Threshold
from noughts.matches.tally import Tally
from noughts.players.registry import canonical_name
from noughts.printable import csv_text, one_line
from noughts.tournaments import Course, Rating
from noughts.tournaments.lateness import days_late, late_words
from noughts.tournaments.results import Result
from noughts.tournaments.standings import BY_STAGE, head_to_head, tables
from noughts.tournaments.view import TournamentView

HUNDREDTHS = 2


@dataclass(frozen=True)
class Part:
    """Marks for one component, with the reason."""

    name: str
    marks: float
    out_of: float
    why: str


@dataclass(frozen=True)
class Mark:
    """The marks of one team. factor: multiplies the sum of its parts, 0 for plagiarism. student: whose marks they are,
    if each student of a team has a line. late: by how many minutes the bot is late, as in `lateness`.
    """

    name: str
    parts: tuple[Part, ...]
    factor: float = 1.0
    student: Student | None = None
    late: int | None = None

    @property
    def marks(self) -> float:
        return round(self.factor * sum(part.marks for part in self.parts), HUNDREDTHS)

    @property
    def out_of(self) -> float:
        return round(sum(part.out_of for part in self.parts), HUNDREDTHS)

    @property
    def why_zero(self) -> str:
        """Returns the reasons why the marks, or some parts of them, are 0; '' if none is."""
        names: dict[str, list[str]] = {}
        for part in self.parts:
            if part.marks == 0:
                names.setdefault(part.why, []).append(part.name)
        reasons = [why if len(names[why]) == len(self.parts) else f"{', '.join(names[why])}: {why}" for why in names]
        if self.factor == 0:
            reasons.insert(0, " and ".join(filter(None, [late_words(self.late), "multiplied by 0"])))
        return "; ".join(reasons)

    def to_data(self) -> dict[str, Any]:
        parts = [asdict(part) for part in self.parts]
        facts = {"factor": self.factor, "late": late_words(self.late), "why_zero": self.why_zero}
        return {"name": self.name, "marks": self.marks, "out_of": self.out_of, "parts": parts, **facts}


def read_late(text: str) -> float:
    """Returns the factor by which a day of lateness multiplies marks: 1 for "accept", 0 for "zero". Raises ValueError
    if it is invalid."""
    words = {"accept": 1.0, "zero": 0.0}
    try:
        factor = words[text] if text in words else float(text)
    except ValueError:
        factor = -1.0
    if not 0 <= factor <= 1:
        raise ValueError(
            f"--late must be accept, zero or a number from 0 to 1, such as 0.9 for nine tenths of the marks for each "
            f"day, not {one_line(text, 40)!r}"
        )
    return factor


def marks_of(
    view: TournamentView, thresholds: Sequence[Threshold] | None = None, *, late_factor: float = 1.0
) -> list[Mark]:
    """Returns the marks by thresholds, if given; else those of the format: for each stage in proportion to the best of
    the pool, or in proportion to the best in the measure that orders the table.

    Every part gives the reason why a bot was excluded, or the breaches of a bot that was admitted anyway. late_factor:
    multiplies the marks of a late bot for each day that has begun.
    """
    entries = {entry.name: entry for entry in view.entries}
    with_reason = {name: entry for name, entry in entries.items() if entry.reason}

    def why(name: str, part: Part) -> str:
        if (entry := with_reason.get(name)) is None:
            return part.why
        if not entry.plays:
            if entry.reason == NOTHING:
                return NOTHING
            return f"excluded because it failed the check: {entry.reason}"
        return f"{part.why} (it {view.status_words(entry)}: {entry.reason})"

    return [
        replace(
            mark,
            parts=tuple(replace(part, why=why(mark.name, part)) for part in mark.parts),
            factor=late_factor ** days_late(entries[mark.name].late),
            late=entries[mark.name].late,
        )
        for mark in _marks(view, thresholds)
    ]


def _marks(view: TournamentView, thresholds: Sequence[Threshold] | None) -> list[Mark]:
    entries = [entry for entry in view.entries if not entry.removed]
    names = [entry.name for entry in entries]
    staff = {entry.name for entry in entries if entry.staff}
    table = view.standings
    if thresholds is not None:
        teams = [name for name in names if name not in staff]
        thresholds = [replace(each, against=canonical_name(each.against)) for each in thresholds]
        return threshold_marks([*table.results, *table.extra], teams, thresholds)
    if table.form.order == BY_STAGE:
        return course_marks(table.results, names, staff=staff, stages=table.form.stages)
    measures, unit = table.measures
    ((part, out_of),) = table.form.stages.items()
    return ordered_marks(measures, names, staff=staff, part=part, unit=unit, out_of=out_of)


def course_marks(
    results: Iterable[Result],
    names: Sequence[str],
    *,
    staff: Collection[str] = (),
    stages: Mapping[str, float] = Course.stages,
) -> list[Mark]:
    """Returns the marks of the teams, in the order of the names. stages: with the marks for each.

    In each stage a team gets its share of the marks in proportion to the points of the best team of its pool. staff:
    names without marks that do not count as the best. A negative sum of points counts as 0. If the best has 0 points,
    all teams with 0 points get full marks.
    """
    found: dict[tuple[str, str], Part] = {}
    for (stage, pool), table in tables(results).items():
        teams = [row for row in table if row.name not in staff]
        best = max((row.points for row in teams), default=0)
        for row in teams:
            why = f"pool {pool}: {row.points} points; best of the pool: {best}"
            found[row.name, stage] = _in_proportion(stage, row.points, best, stages.get(stage, 0), why)
    return [
        Mark(
            name,
            tuple(found.get((name, stage)) or Part(stage, 0, full, "not reached") for stage, full in stages.items()),
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
    """Returns the marks of the teams, in the order of the names, in proportion to the measure that orders the table.

    measures: for each player, in this unit. staff: names without marks that do not count as the best. A negative
    measure counts as 0. If the best has 0, all teams with 0 get full marks.
    """
    teams = [name for name in names if name not in staff]
    best = max((measures[name] for name in teams if name in measures), default=0.0)
    return [
        Mark(
            name,
            (_in_proportion(part, measures[name], best, out_of, f"{measures[name]:.4g} {unit}; best: {best:.4g}"),),
        )
        if name in measures
        else Mark(name, (Part(part, 0, out_of, "did not play"),))
        for name in teams
    ]


def gauntlet_marks(results: Iterable[Result], name: str, staff: Sequence[str], out_of: float) -> Mark:
    """Returns the marks of a team for its games against staff players. Opponents count equally, each by the share of
    games won.
    """
    met, parts = head_to_head(results), list[Part]()
    for number, other in enumerate(staff, 1):
        tally = met.get((name, other), Tally())
        full = round(out_of * number / len(staff) - sum(part.out_of for part in parts), HUNDREDTHS)
        why = f"{tally.score:.1%} of {tally.games} games, draws counted half"
        parts.append(Part(f"against {other}", round(full * tally.score, HUNDREDTHS), full, why))
    return Mark(name, tuple(parts))


def _in_proportion(name: str, measure: float, best: float, out_of: float, why: str) -> Part:
    share = max(0.0, measure) / best if best > 0 else float(measure == best)
    if measure < 0:
        why = f"less than 0 counts as 0: {why}"  # not first, where a table takes it for a formula
    return Part(name, round(out_of * share, HUNDREDTHS), out_of, why)


def threshold_marks(results: Iterable[Result], names: Sequence[str], thresholds: Sequence[Threshold]) -> list[Mark]:
    """Returns the marks of the teams, in the order of the names. A team gets a threshold's marks if it reaches the
    score.

    Raises ValueError if a threshold is against a bot that has not played.
    """
    met = head_to_head(results)
    seen = {name for name, _ in met}
    for threshold in thresholds:
        if threshold.against not in seen:
            raise ValueError(
                f"a threshold is against {threshold.against!r}, which has not played; name a bot of this tournament"
            )
    staff = {threshold.against for threshold in thresholds}
    return [
        Mark(
            name,
            tuple(_threshold_part(threshold, met.get((name, threshold.against), Tally())) for threshold in thresholds),
        )
        for name in names
        if name not in staff
    ]


def _threshold_part(threshold: Threshold, tally: Tally) -> Part:
    if not tally.games:
        return Part(threshold.title, 0, threshold.marks, f"no games against {threshold.against}")
    marks = threshold.marks if tally.score >= threshold.score else 0
    return Part(threshold.title, marks, threshold.marks, f"{tally.score:.1%} of {tally.games} games")


def merged(marks: Sequence[Mark], extra: Extra) -> list[Mark]:
    """Returns the marks together with those given by hand. Raises ValueError for unknown teams or ids, and for an id of
    two students."""
    keys = [mark.student.id if extra.by == "id" and mark.student else mark.name for mark in marks]
    if strangers := [name for name in extra.rows if name not in keys]:
        raise ValueError(
            f"there are marks given by hand for {', '.join(map(repr, strangers[:5]))}, but no such contestants"
        )
    counts = Counter(keys)
    if shared := [name for name in extra.rows if extra.by == "id" and counts[name] > 1]:
        raise ValueError(f"the roster has the id {shared[0]!r} in {counts[shared[0]]} rows; give each student one row")
    nothing = (0.0,) * len(extra.parts), 1.0
    found = []
    for mark, name in zip(marks, keys, strict=True):
        further, factor = extra.rows.get(name, nothing)
        more = [
            Part(title, value, out_of, "given by the staff" if name in extra.rows else "no marks were given")
            for (title, out_of), value in zip(extra.parts, further, strict=True)
        ]
        found.append(replace(mark, parts=(*mark.parts, *more), factor=mark.factor * factor))
    return found


def to_csv(marks: Sequence[Mark]) -> str:
    """Returns a line for each team or student: its name, its marks, their maximum, the parts, and the reasons for 0."""
    factors = any(mark.factor != 1 for mark in marks)
    who = ["name", "id", "email"] if any(mark.student for mark in marks) else []
    parts = [part.name for mark in marks[:1] for part in mark.parts]
    late = ["late"] if any(mark.late is not None for mark in marks) else []
    reason = ["reason"] if any(mark.why_zero for mark in marks) else []
    heads = ["team", *who, "marks", "out of", *parts, *(["factor"] if factors else []), *late, *reason]
    rows: list[list[str]] = [heads]
    for mark in marks:
        numbers = (mark.marks, mark.out_of, *(part.marks for part in mark.parts), *([mark.factor] if factors else []))
        person = [getattr(mark.student, field) for field in who]
        facts = [*(late_words(mark.late) for _ in late), *(mark.why_zero for _ in reason)]
        rows.append([mark.name, *person, *(f"{value:.2f}" for value in numbers), *facts])
    return csv_text(rows)


def by_student(marks: Sequence[Mark], roster: Roster) -> list[Mark]:
    """Returns one mark for each student of a roster. Students without a bot get 0."""
    of_team = {mark.name: mark for mark in marks}
    for mark in marks:
        of_team.setdefault(roster.team_like(mark.name), mark)
    parts = tuple(replace(part, marks=0, why=NOTHING) for mark in marks[:1] for part in mark.parts)
    return [replace(of_team.get(student.team) or Mark(student.team, parts), student=student) for student in roster]


def gradescope(mark: Mark, row: Tally | None = None, rating: Rating | None = None) -> dict[str, Any]:
    """Returns the `results.json` of one team: its marks as tests, and its leaderboard entries.

    row, rating: the team's line of the table and its rating, for the leaderboard.
    """
    facts = [late_words(mark.late), f"times {mark.factor:.3g}" if mark.factor != 1 else ""]
    factor = f" ({', '.join(filter(None, facts))})" if any(facts) else ""
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
        "output": f"{mark.marks:.2f} of {mark.out_of:.2f} marks{factor}",
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
