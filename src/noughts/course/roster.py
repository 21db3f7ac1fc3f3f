"""Reads the roster, a CSV file of students and their teams, with the columns team, name, id and email.

    team,name,id,email
    team7,Jane Doe,100231,jane@example.org

One row for each student; name, id and email may be empty, and other columns are ignored. A student of an LMS is looked
up by id, then by email, then by name, also in Canvas's form (doejane).
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.printable import one_line
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

    def may_be(self, name: str) -> bool:
        """Returns whether a person of this name can be the student: the names share a word, or one is unknown."""
        mine, other = set(_words(self.name)), set(_words(name))
        return not mine or not other or bool(mine & other)


class Roster:
    """The students of a course, in the order of the file."""

    def __init__(self, students: Sequence[Student]) -> None:
        self.students: tuple[Student, ...] = tuple(students)
        self._known: dict[tuple[str, str], Student | None] = {}
        for student in self.students:
            for key in _keys(student.name, student.id, student.email):
                known = self._known.setdefault(key, student)
                # A name that two students share identifies neither.
                self._known[key] = student if known == student else None

    def __iter__(self) -> Iterator[Student]:
        return iter(self.students)

    @property
    def teams(self) -> list[str]:
        """The teams, in the order of the file."""
        return list(dict.fromkeys(student.team for student in self.students))

    def find(self, name: str = "", id: str = "", email: str = "") -> Student | None:  # noqa: A002 - the roster's word
        """Returns the student with these LMS fields; None if there is none, or more than one."""
        for key in _keys(name, id, email):
            if found := self._known.get(key):
                return found
        return None


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


def _words(name: str) -> list[str]:
    """Returns the words of a person's name in lower case without accents."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return re.findall(r"\w+", "".join(char for char in plain if not unicodedata.combining(char)))


def _keys(name: str, id: str, email: str) -> Iterator[tuple[str, str]]:  # noqa: A002
    if number := re.sub(r"^participant\s*", "", id.strip().casefold()):
        yield "id", number
    if email.strip():
        yield "email", email.strip().casefold()
    words = _words(name)
    if words:
        yield "name", " ".join(sorted(words))
    for place in range(len(words)):  # Canvas writes "Jane Doe" as doejane
        yield "letters", "".join([*words[place:], *words[:place]])
