"""Reads the roster, a CSV file of students and their teams, with the columns team, name, id and email.

    team,name,id,email
    team7,Jane Doe,100231,jane@example.org

One row for each student; name, id and email may be empty, and other columns are ignored. `people` matches the people of
an LMS to these students.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from noughts.printable import one_line
from noughts.tournaments.names import name_key
from noughts.untrusted import FileKind, read_untrusted

ROSTER = FileKind("a roster", 8 << 20)
COLUMNS = ("team", "name", "id", "email")
MOST_STUDENTS = 20_000


@dataclass(frozen=True)
class Student:
    """A row of the roster; missing fields are ''."""

    team: str
    name: str = ""
    id: str = ""
    email: str = ""


class Roster:
    """The students of a course, in the order of the file."""

    def __init__(self, students: Sequence[Student]) -> None:
        self.students: tuple[Student, ...] = tuple(dict.fromkeys(students))
        self._by_id: dict[str, list[Student]] = {}
        self._by_email: dict[str, list[Student]] = {}
        for student in self.students:
            for table, value in ((self._by_id, student.id), (self._by_email, student.email)):
                if key := value.strip().casefold():
                    table.setdefault(key, []).append(student)

    def __iter__(self) -> Iterator[Student]:
        return iter(self.students)

    @cached_property
    def teams(self) -> list[str]:
        """The teams, in the order of the file."""
        return list(dict.fromkeys(student.team for student in self.students))

    def team_like(self, name: str) -> str:
        """Returns the team of this name, or else the only one that looks the same; '' if there is none."""
        alike = self._teams_alike.get(name_key(name), [])
        return name if name in alike else alike[0] if len(alike) == 1 else ""

    @cached_property
    def _teams_alike(self) -> dict[str, list[str]]:
        alike: dict[str, list[str]] = {}
        for team in self.teams:
            alike.setdefault(name_key(team), []).append(team)
        return alike

    def by_id(self, number: str) -> Sequence[Student]:
        """Returns the students with an id."""
        return self._by_id.get(number.strip().casefold(), ())

    def by_email(self, email: str) -> Sequence[Student]:
        """Returns the students with an email address."""
        return self._by_email.get(email.strip().casefold(), ())


def read_roster(path: str | Path) -> Roster:
    """Returns the roster in a file. Raises ValueError if it is invalid."""
    rows = read_csv(path, ROSTER)
    heads = [head.strip().lower() for head in rows[0]] if rows else []
    if "team" not in heads:
        raise ValueError(f"{path} is not a roster: its first line must be {','.join(COLUMNS)}")
    places = {column: heads.index(column) for column in COLUMNS if column in heads}
    students = []
    for number, row in enumerate(rows[1:], 2):
        cells = {column: row[place].strip() if place < len(row) else "" for column, place in places.items()}
        if not any(cells.values()):
            continue
        if not cells["team"]:
            raise ValueError(f"{path}, line {number}: {one_line(','.join(row), 80)} has no team")
        students.append(Student(**cells))
    if not students or len(students) > MOST_STUDENTS:
        raise ValueError(f"{path} has {len(students)} students; a roster must have 1 to {MOST_STUDENTS:,}")
    return Roster(students)


def read_csv(path: str | Path, kind: FileKind) -> list[list[str]]:
    """Returns the rows of a CSV file, with commas, semicolons or tabs. Raises ValueError if it is invalid."""
    return parse_csv(decode_csv(read_untrusted(path, kind), path), path)[0]


def decode_csv(data: bytes, path: str | Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8; save it as CSV in UTF-8") from None


def parse_csv(text: str, path: str | Path) -> tuple[list[list[str]], str]:
    """Returns the rows of a CSV text, and its separator."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(text), delimiter=separator)), separator
    except csv.Error as error:
        raise ValueError(f"{path} is not CSV ({error})") from None
