"""Matches the people of an LMS export to the students of the roster, for submissions and for marks.

A person is the student with the same whole name, the same email, or the same id and no other name. All that is known of
the person must agree, and nobody else in the export may be the same student. In every other case there is no match, but
the reason, with the `--assign PERSON=STUDENT` that settles it.

Names are compared without capitals, accents and punctuation, with the first words first or last, and with or without
spaces: "José de la Cruz", "De La Cruz, Jose" and Canvas's "delacruzjosé" are the same. A part of a name is another
name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate

from noughts.course.roster import Roster, Student
from noughts.printable import listed, one_line, shell_quote

SHOWN = 4
"""Maximum students or people that a reason lists."""
Assigned = Mapping[str, str]
"""The values of --assign: people of an export, and the student (id, email, name) or team of each."""


@dataclass(frozen=True)
class Person:
    """A person or group in an LMS export. key: how the export names the person, different for each. name: with a group
    before it in some exports of Moodle.

    ids: of the institution or the LMS, without Moodle's participant numbers, which are no student's id.
    """

    key: str
    name: str = ""
    ids: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """Returns what two entries of one person have in common."""
        return (self.ids, self.emails) if self.ids or self.emails else (self.key,)


@dataclass(frozen=True)
class Match:
    """The student and the team that a person belongs to. student: None for a group.

    team: '' if the roster has nobody like that, or if the match is not certain; reason then says why. advice: options
    that settle it, with the names of students.
    """

    team: str = ""
    student: Student | None = None
    reason: str = ""
    advice: str = ""


def read_assigned(texts: Sequence[str]) -> Assigned:
    """Returns the values of --assign. Raises ValueError if one is invalid."""
    assigned: dict[str, str] = {}
    for text in texts:
        person, _, student = (_one_space(part) for part in text.rpartition("="))
        if not person or not student:
            raise ValueError(
                f"--assign must be PERSON=STUDENT, such as 'Ann Archer_4711=100231', not {one_line(text, 80)!r}"
            )
        if person in assigned:
            raise ValueError(f"--assign names {one_line(person, 80)!r} twice; pass it once")
        assigned[person] = student
    return assigned


def match_people(
    people: Sequence[Person], roster: Roster, assigned: Assigned | None = None, groups: Collection[str] = ()
) -> list[Match]:
    """Returns the match of each person. groups: names that may stand before a person's, besides those of teams.

    Raises ValueError if `assigned` names an unknown person or student.
    """
    students = _Students(roster, groups)
    decided = dict(_decided(people, students, assigned or {}))
    matches = [decided.get(number) or students.match(person) for number, person in enumerate(people)]
    claims: dict[Student, list[int]] = {}
    for number, match in enumerate(matches):
        if match.student is not None:
            claims.setdefault(match.student, []).append(number)
    for student, numbers in claims.items():
        if len({people[number].identity for number in numbers}) > 1:
            for number in set(numbers) - set(decided):
                why = f"{len(numbers)} people of the export fit the same student of the roster"
                matches[number] = students.unsettled(people[number], why, [student])
    return matches


def _one_space(text: str) -> str:
    """Returns a text with single spaces: an option may come from a wrapped line."""
    return " ".join(text.split())


def _decided(people: Sequence[Person], students: _Students, assigned: Assigned) -> Iterator[tuple[int, Match]]:
    """Yields the matches that --assign settles, with the numbers of their people."""
    for key, text in assigned.items():
        numbers = [number for number, person in enumerate(people) if _one_space(person.key) == key]
        numbers = numbers or [number for number, person in enumerate(people) if _is_called(person, key)]
        keys = list(dict.fromkeys(one_line(people[number].key, 80) for number in numbers))
        if len(keys) != 1:
            what = (
                f"has {len(keys)} people of this name: write {listed(keys[:SHOWN])}" if keys else "has no such person"
            )
            raise ValueError(f"--assign {one_line(key, 80)!r}: the export {what}")
        called = students.called(text)
        teams = {student.team for student in called}
        if len(teams) != 1:
            what = f"has {len(called)} such students; write an id or an email" if called else "has no such student"
            raise ValueError(f"--assign {one_line(key, 80)}={one_line(text, 80)}: the roster {what}")
        match = Match(teams.pop(), called[0] if len(called) == 1 else None)
        yield from ((number, match) for number in numbers)


def _is_called(person: Person, text: str) -> bool:
    known = {value.casefold() for value in (*person.ids, *person.emails)}
    return text.casefold() in known or is_same_name(person.name, text)


class _Students:
    """The students of a roster, by everything that may identify them."""

    def __init__(self, roster: Roster, groups: Collection[str]) -> None:
        self._roster = roster
        self._places = {student: place for place, student in enumerate(roster)}
        self._by_name: dict[str, list[Student]] = {}
        for student in roster:
            self._by_name.setdefault(student.name, []).append(student)
        self._names_by_letters: dict[str, list[str]] = {}
        for name in self._by_name:
            for letters in {"".join(words) for words in _turns(name_words(name))}:
                self._names_by_letters.setdefault(letters, []).append(name)
        self._teams: dict[str, set[str]] = {}
        for team in roster.teams:
            if words := name_words(team):  # none in a name of signs only
                self._teams.setdefault("".join(words), set()).add(team)
        self._groups = {"".join(name_words(group)) for group in groups}

    def match(self, person: Person) -> Match:
        """Returns the match of one person, without regard to the others."""
        names = dict(self._names(person.name))
        evidence = {
            "name": {student for name in names for student in self.named(name)},
            "email": {student for email in person.emails for student in self._roster.by_email(email)},
            "id": {student for number in person.ids for student in self._roster.by_id(number)},
        }
        known = {what: students for what, students in evidence.items() if students}
        others = {student for student in evidence["id"] if student.name and person.name}
        if set(known) == {"id"} and others:
            return self.unsettled(person, "the id is known, but of a student with another name", others)
        if teams := set.union(*names.values()):
            known["group"] = {student for student in self._roster if student.team in teams}
        agreeing = set.intersection(*known.values()) if set(known) - {"group"} else set()
        group = self._teams.get("".join(name_words(person.name)), set())  # the whole name is that of a team
        if len(agreeing) == 1 and group <= {student.team for student in agreeing}:
            (student,) = agreeing
            return Match(student.team, student)
        if len(agreeing) > 1:
            return self.unsettled(person, f"the roster has {len(agreeing)} such students", agreeing)
        if set(known) - {"group"}:
            what = listed([*known, *(["team's name"] if group else [])], "and")
            candidates = set.union(*(students for what, students in known.items() if what != "group"))
            return self.unsettled(person, f"{what} are of different students", candidates)
        if len(group) > 1:
            return unsettled_team(person, f"the roster has {len(group)} teams of this name", sorted(group))
        if group:
            (team,) = group
            return Match(team)
        return self._unknown(person)

    def _unknown(self, person: Person) -> Match:
        """Returns no match, with the option for a Moodle group if the name ends with a student's."""
        places = [place for place, char in enumerate(person.name) if char == "-"]
        groups = [person.name[:place] for place in places if self.named(person.name[place + 1 :])]
        if not groups:
            return Match()
        return Match(advice=f"--group {shell_quote(one_line(groups[0], 80))} if that is a Moodle group")

    def unsettled(self, person: Person, why: str, candidates: Collection[Student]) -> Match:
        """Returns the reason for no match, and the options that settle it."""
        options = [
            f"{assign_option(person, self._handle(student))} if it is {_shown(student)}"
            for student in nsmallest(SHOWN, candidates, key=self._places.__getitem__)
        ]
        return Match(reason=why, advice=f"pass {', or '.join(options)}")

    def named(self, name: str) -> list[Student]:
        """Returns the students with the same whole name."""
        turns = {"".join(words) for words in _turns(name_words(name))}
        names = dict.fromkeys(known for letters in turns for known in self._names_by_letters.get(letters, ()))
        return [student for known in names if is_same_name(known, name) for student in self._by_name[known]]

    def called(self, text: str) -> list[Student]:
        """Returns the students that a person at the command line means by an id, an email, a name or a team."""
        tries = (self._roster.by_id(text), self._roster.by_email(text), self.named(text))
        team = [student for student in self._roster if student.team == text]
        return list(next(filter(None, tries), team))

    def _handle(self, student: Student) -> str:
        """Returns a text by which `called` finds the student alone, or else the team."""
        texts = (student.id, student.email, student.name)
        return next((text for text in texts if text and self.called(text) == [student]), student.team)

    def _names(self, name: str) -> Iterator[tuple[str, set[str]]]:
        """Yields the names that a person may have, each with the teams before it: with and without a known group."""
        yield name, set()
        for place, char in enumerate(name):
            group = "".join(name_words(name[:place]))
            if char == "-" and group and (group in self._groups or group in self._teams):
                yield name[place + 1 :], self._teams.get(group, set())


def unsettled_team(person: Person, why: str, teams: Iterable[str]) -> Match:
    """Returns the reason for no team, and the options that settle it."""
    return Match(reason=why, advice=f"pass {listed([assign_option(person, team) for team in teams])}")


def assign_option(person: Person, student: str) -> str:
    """Returns the option that assigns a person to a student or a team."""
    return f"--assign {shell_quote(f'{one_line(person.key, 120)}={student}')}"


def _shown(student: Student) -> str:
    name = one_line(student.name or student.id or student.email, 80)
    return f"{name} ({student.team})" if name else student.team


# Names.

MOST_WORDS = 30
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
"""Letters that Unicode does not decompose."""


def name_words(name: str) -> tuple[str, ...]:
    """Returns the words of a name without capitals, accents and punctuation.

    Only accents of alphabets are left out: marks of other scripts are vowels.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold()).translate(_LETTERS)
    letters = (char for char in plain if not "\u0300" <= char <= "\u036f" and char not in "'\u2019\u02bc")
    return tuple("".join(char if _is_of_word(char) else " " for char in letters).split())


def _is_of_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def is_same_name(one: str, other: str) -> bool:
    """Returns whether two names are the same whole name.

    They have the same letters in the same order, from any word on, and the spaces of one are among those of the other:
    "Eric Le" is not "Ric Lee".
    """
    fewer, more = sorted((name_words(one), name_words(other)), key=len)
    if not fewer:
        return False
    ends = set(accumulate(map(len, fewer)))
    return any("".join(words) == "".join(fewer) and ends <= set(accumulate(map(len, words))) for words in _turns(more))


def _turns(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yields the words from each of them on: "Ann Marie Lee", "Marie Lee Ann", "Lee Ann Marie".

    Only from the first on if they are too many for a name.
    """
    for place in range(len(words) if len(words) <= MOST_WORDS else 1):
        yield (*words[place:], *words[:place])
