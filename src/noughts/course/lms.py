"""Fills marks into an LMS's own export, and reads marks given by hand.

    Moodle      the grading worksheet: Identifier, Full name, Email address, ..., Grade, ..., Last modified (grade)
                and the gradebook: First name, Last name, ID number, Email address, ..., Assignment: NAME (Real)
    Canvas      the gradebook: Student, ID, SIS User ID, SIS Login ID, Section, NAME (NUMBER), ...

Only the cells of one column change, and empty cells for comments (Moodle's "Feedback comments", Canvas's "Notes"), so
that the LMS can import the file.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.course.people import Assigned, Match, Person, match_people
from noughts.course.roster import Roster, Student, decode_csv, parse_csv, read_csv
from noughts.printable import csv_text, one_line, without_formula
from noughts.untrusted import FileKind, read_untrusted

GRADEBOOK = FileKind("an export of grades", 32 << 20)
EXTRA = FileKind("a file of further marks", 8 << 20)
MOST_MARKS = 100_000
FACTOR = "factor"
_NAMES = ("full name", "student", "name")
_IDS = ("id number", "sis user id", "id", "sis login id", "username", "sid")
"""Columns of ids, without Moodle's `Identifier`, which is a participant number."""
_EMAILS = ("email address", "email", "sis login id")
_KEYS = ("identifier", "id number", "email address", "id")
"""Columns of which the first with a value names a row for --assign."""
_COMMENTS = ("feedback comments", "notes")
_NO_GRADES = re.compile(
    r"(student|lastname|firstname|first name|last name|surname|id|id number|sis user id|sis login id|integration id|"
    r"root account|section|notes|institution|department|email address|last downloaded from this course|username|"
    r"group.*|.*\btotal\b.*|.*(current|final|override|unposted) (score|points|grade|status).*|"
    r".*\((percentage|letter|feedback)\))",
    re.IGNORECASE,
)
"""Columns of a gradebook that are not grades of an assignment."""


@dataclass(frozen=True)
class FilledIn:
    """An export with grades. column: of the grades. filled: their number. unknown: rows without a certain student.

    reasons: why, of those that resemble a student. missing: our students who are not in the export. out_of: its maximum
    grade, None if it has none. comments: their column, '' if there is none. kept: rows that already had a comment.
    """

    text: str
    column: str
    filled: int
    unknown: tuple[str, ...]
    missing: tuple[Student, ...]
    out_of: float | None
    reasons: tuple[str, ...] = ()
    comments: str = ""
    kept: int = 0


def fill_in(
    path: str | Path,
    roster: Roster,
    grade: Callable[[Student], str],
    column: str | None = None,
    *,
    comment: Callable[[Student], str] | None = None,
    assigned: Assigned | None = None,
) -> FilledIn:
    """Returns an export of Moodle or Canvas with the grades of the students of a roster.

    column: of the grades, if there is more than one. comment: returns a text for the column of comments, if there is
    one; a cell that is not empty is kept. assigned: see `people.match_people`. Raises ValueError if the file is not
    such an export, or if the column is unclear.
    """
    original = decode_csv(read_untrusted(path, GRADEBOOK), path)
    rows, separator = parse_csv(original, path)
    heads = [head.strip() for head in rows[0]] if rows else []
    place = _grade_column(heads, column, path)
    comments = None if comment is None else _comments_column(heads, place)
    of_students: list[tuple[list[str], Person]] = []
    out_of: float | None = None
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip((head.lower() for head in heads), (cell.strip() for cell in row), strict=False))
        if len(row) <= place:
            continue
        if heads[0] in ("Student", "LastName") and (not cells.get("id") or "points possible" in row[0].lower()):
            if "points possible" in row[0].lower():
                out_of = _number(row[place])
            continue  # Canvas lists the settings of assignments before the first student
        of_students.append((row, _person(cells, number)))
        out_of = out_of or _number(cells.get("maximum grade", ""))
    matches = match_people([person for _, person in of_students], roster, assigned)
    filled: set[Student] = set()
    unknown, reasons, kept = [], [], 0
    for (row, person), match in zip(of_students, matches, strict=True):
        if match.student is None:
            unknown.append(one_line(person.name or person.key, 80))
            if why := _why_unknown(match):
                reasons.append(f"{unknown[-1]}: {why}")
            continue
        row[place] = grade(match.student)
        filled.add(match.student)
        if comment is None or comments is None or comments >= len(row):
            continue
        if row[comments].strip():
            kept += 1
            continue
        words = comment(match.student)
        is_html = heads[comments].lower() != "notes"  # Moodle's comments are HTML
        row[comments] = str(without_formula(html.escape(words, quote=False) if is_html else words))
    ending = "\r\n" if "\r\n" in original[:100_000] else "\n"
    text = csv_text(rows, separator=separator, ending=ending, verbatim=True)
    mark = "\ufeff" if original.startswith("\ufeff") else ""
    missing = tuple(student for student in roster if student not in filled)
    return FilledIn(
        *(mark + text, heads[place], len(filled), tuple(unknown), missing, out_of, tuple(reasons)),
        comments="" if comments is None else heads[comments],
        kept=kept,
    )


def _comments_column(heads: Sequence[str], grades: int) -> int | None:
    """Returns the place of the column of comments that belongs to a column of grades."""
    lower = [head.lower() for head in heads]
    wanted = [*_COMMENTS, re.sub(r"\(real\)$", "(feedback)", lower[grades])]
    return next((lower.index(name) for name in wanted if name in lower and lower.index(name) != grades), None)


def _grade_column(heads: Sequence[str], wanted: str | None, path: str | Path) -> int:
    known = [head for head in heads if not _NO_GRADES.fullmatch(head)]
    lower = [head.lower() for head in heads]
    if {"identifier", "grade", "last modified (grade)"} <= set(lower):
        known = [heads[lower.index("grade")]]  # the column of Moodle's worksheet
    elif not set(lower) & {*_NAMES, *_EMAILS, "first name"}:
        raise ValueError(f"{path} is not a grade export: it has no known column of students")
    columns = known
    if wanted is not None:
        known = [head for head in heads if head == wanted] or [head for head in known if wanted.lower() in head.lower()]
    if len(known) != 1:
        listed = ", ".join(repr(one_line(head, 60)) for head in (known or columns)[:8]) or "none"
        unknown = f"there is no column {one_line(wanted, 60)!r} for marks; " if wanted is not None and not known else ""
        raise ValueError(f"{path}: {unknown}name the column for the marks with --column; the columns are {listed}")
    return list(heads).index(known[0])


def _person(cells: Mapping[str, str], number: int) -> Person:
    """Returns the person of a row. number: the line of the row, its key if nothing else is."""
    both = f"{cells.get('first name', '')} {cells.get('last name', '') or cells.get('surname', '')}".strip()
    name = next((cells[column] for column in _NAMES if cells.get(column)), both)
    key = next((cells[column] for column in _KEYS if cells.get(column)), f"row {number}")
    ids, emails = (tuple(filter(None, map(cells.get, columns))) for columns in (_IDS, _EMAILS))
    return Person(key, name, ids, emails)


def _why_unknown(match: Match) -> str:
    """Returns why a row has no student; '' if the roster has nobody like that."""
    if match.team:
        return f"{match.team} is a team; --assign must name one student"
    return f"{match.reason}; {match.advice}" if match.reason else ""


@dataclass(frozen=True)
class Extra:
    """Marks given by hand. by: "team" or "id". parts: their names, each with its maximum, 0 if not given.

    rows: for each team or id the marks of each part, and its factor.
    """

    by: str
    parts: tuple[tuple[str, float], ...]
    rows: Mapping[str, tuple[tuple[float, ...], float]]


def read_extra(path: str | Path) -> Extra:
    """Returns marks given by hand, from a CSV file with a column `team` or `id` and one column for each part.

    A part may give its maximum (`report/20`); `factor` multiplies the sum. Raises ValueError if the file is invalid.
    """
    rows = read_csv(path, EXTRA)
    heads = [head.strip() for head in rows[0]] if rows else []
    by = heads[0].lower() if heads else ""
    if by not in ("team", "id") or len(heads) < 2 or len(set(heads)) < len(heads):
        raise ValueError(
            f"{path}: the first line must be team or id, then one column for each part, such as team,report/20"
        )
    parts = [(name, _out_of(name, path)) for name in heads[1:] if name.lower() != FACTOR]
    found: dict[str, tuple[tuple[float, ...], float]] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        key, factor, marks = row[0].strip(), 1.0, []
        for place, head in enumerate(heads[1:], 1):
            cell = row[place].strip() if place < len(row) else ""
            value = _number(cell or ("1" if head.lower() == FACTOR else "0"))
            if value is None or (head.lower() == FACTOR and not 0 <= value <= 1):
                wanted = "a number from 0 to 1" if head.lower() == FACTOR else "a number"
                raise ValueError(f"{path}, line {number}: {head} must be {wanted}, not {one_line(cell, 40)!r}")
            if head.lower() == FACTOR:
                factor = value
            else:
                marks.append(value)
        if not key:
            raise ValueError(f"{path}, line {number}: there is no {by}; write whose marks these are")
        if key in found:
            raise ValueError(f"{path}, line {number}: {one_line(key, 40)!r} already has a row")
        found[key] = tuple(marks), factor
    return Extra(by, tuple((name.partition("/")[0].strip(), out_of) for name, out_of in parts), found)


def _out_of(name: str, path: str | Path) -> float:
    _, slash, text = name.partition("/")
    value = _number(text) if slash else 0.0
    if value is None:
        raise ValueError(f"{path}: {one_line(name, 40)!r} must be a name, or a name and its maximum, such as report/20")
    return value


def _number(text: str) -> float | None:
    """Returns a number, which may have a decimal comma; None if it is invalid."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= MOST_MARKS else None
