"""Submissions by team: reads any layout of `course.handed_in` and joins it to the roster.

Every submission, and every student of the roster, gets a bot or a reason why there is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from noughts.course.handed_in import HandedIn, handed_in
from noughts.course.people import Assigned, Match, Person, assign_option, match_people, unsettled_team
from noughts.course.roster import ROSTER, Roster, Student, read_csv
from noughts.course.rules import NameRule
from noughts.matches.store_file import StoreError
from noughts.printable import csv_text, one_line
from noughts.sandbox.source import BotSource
from noughts.tournaments.lateness import late_minutes, late_words, parse_late
from noughts.tournaments.names import MAX_NAME, name_key, name_keys, name_refusal, natural_order
from noughts.tournaments.organiser import Changes, sync_bots
from noughts.tournaments.store import TournamentStore

COLLECTED = "_collected.csv"
"""The table that `noughts collect` writes to its folder: people, and refused submissions, which have no file."""
TABLE = ("team", "name", "id", "email", "file", "late", "reason")
NOTHING = "no submission"


@dataclass(frozen=True)
class Submission:
    """The bot of a team, or the reason why there is none. name: the team's.

    students: its members, as far as known. file: the bot's file as submitted. late: by how many minutes, 0 for an
    unknown time, None if it is in time. sender: who submitted it, as the export says. handed_in: when, None if unknown.
    advice: how to settle the reason, for staff only: it names students.
    """

    name: str
    source: BotSource | None = None
    reason: str = ""
    students: tuple[Student, ...] = ()
    file: str = ""
    late: int | None = None
    sender: str = ""
    handed_in: datetime | None = None
    advice: str = ""


def submissions(
    path: str | Path,
    known: Collection[str] = (),
    *,
    roster: Roster | None = None,
    assigned: Assigned | None = None,
    groups: Collection[str] = (),
    deadline: datetime | None = None,
    rule: NameRule | None = None,
    newest: bool = False,
) -> list[Submission]:
    """Returns all submissions of a folder or zip, by name of the team.

    assigned, groups: see `people.match_people`. newest: if the members of a team submitted different bots, takes the
    newest one. Among names that look the same, a known one is kept and the others are refused; if none is known, all
    are refused. Raises StoreError if the folder or zip does not exist or is empty, and ValueError if `assigned` names a
    person or student who is unknown.
    """
    try:
        found = handed_in(path, None if rule is None else lambda file: not rule.refusal(file))
    except ValueError as error:
        raise StoreError(str(error)) from None
    places = _teams(found, roster, assigned, groups) if roster is not None else _own_names(found, rule)
    each_alone = [_submission(each, *place, deadline, rule) for each, place in zip(found, places, strict=True)]
    teams = _joined(each_alone, newest=newest)
    teams += _without_submission(teams, roster)
    if Path(path, COLLECTED).is_file():
        teams = _with_table(teams, Path(path, COLLECTED))
    if not teams:
        raise StoreError(f"{path} contains no bots; a bot is a file NAME.py, or a Python file in its own folder NAME")
    teams.sort(key=lambda each: natural_order(each.name))
    refusals = _name_refusals(known, [each.name for each in teams])
    return [
        replace(each, source=None, reason=refusals[each.name]) if each.name in refusals else each
        for each in {each.name: each for each in teams}.values()
    ]


def sync_folder(tournament: TournamentStore, folder: str | Path) -> Changes:
    """Enters all bots of a folder. A changed file becomes a new version; removed bots stay removed.

    Only the table of `noughts collect` tells what is in time; other folders, at most what is late.
    """
    found = submissions(folder, tournament.entries.known_names())
    has_table = Path(folder, COLLECTED).is_file()
    late = {each.name: each.late for each in found if has_table or each.late is not None}
    return sync_bots(tournament, {each.name: each.source or each.reason for each in found}, late)


def table_of(found: Iterable[Submission]) -> str:
    """Returns the table that joins teams to people: a row for each student, with the refusals."""
    rows: list[Sequence[str]] = [TABLE]
    for each in found:
        for student in each.students or (Student(each.name),):
            file = f"{each.name}.py" if each.source is not None else ""
            rows.append((each.name, student.name, student.id, student.email, file, late_words(each.late), each.reason))
    return csv_text(rows)


def _name_refusals(known: Collection[str], names: Sequence[str]) -> dict[str, str]:
    """Returns why submissions cannot have their names, by name. known: the existing teams."""
    owners = {key: name for name in known for key in name_keys(name)}
    same, alike = Counter(names), Counter(key for name in names for key in name_keys(name))
    refusals = {}
    for name in same:
        keys, is_known = name_keys(name), name in known
        owner = None if is_known else next((owners[key] for key in keys if key in owners), None)
        count = same[name] if is_known else max(alike[key] for key in keys)
        if owner is not None:
            refusals[name] = f"the existing team {owner!r} looks the same; rename the file"
        elif count > 1:
            refusals[name] = f"{count} submissions have this name or a similar-looking one; give each its own name"
    return refusals


Place = tuple[str, tuple[Student, ...], str, str]
"""The name of a submission's team, its students, and if the team is unknown, the reason and the advice."""


def _submission(
    each: HandedIn,
    name: str,
    students: tuple[Student, ...],
    reason: str,
    advice: str,
    deadline: datetime | None,
    rule: NameRule | None,
) -> Submission:
    late = 0 if each.late else None
    if deadline is not None and each.handed_in is not None:
        late = late_minutes((each.handed_in - deadline).total_seconds()) or late
    reason = reason or each.reason
    if each.source is not None and not reason and rule is not None:
        reason = rule.refusal(each.file)
    if refusal := name_refusal(name):
        name, reason = f"'{one_line(name, MAX_NAME)}'", refusal  # in quotes, unlike any team
    source = None if reason else each.source
    return Submission(name, source, reason, students, each.file, late, each.label, each.handed_in, advice)


def _teams(
    found: Sequence[HandedIn], roster: Roster, assigned: Assigned | None, groups: Collection[str]
) -> Iterator[Place]:
    """Yields the place of each submission on the roster."""
    senders = [() if each.plain else each.people or (Person(each.label),) for each in found]
    people = [person for persons in senders for person in persons]
    matches = iter(match_people(people, roster, assigned, groups))
    for each, persons, label in zip(found, senders, _labels(found, roster.teams), strict=True):
        if each.plain:
            team = roster.team_like(label)
            students = tuple(student for student in roster if student.team == team)
            yield team or label, students, "" if students else "the roster has no team of this name", ""
            continue
        theirs = [next(matches) for _ in persons]
        match = _common_match(persons, theirs)
        students = tuple(student for student in roster if student.team == match.team)
        yield match.team or label, students or _strangers(label, persons), match.reason, match.advice


def _common_match(people: Sequence[Person], matches: Sequence[Match]) -> Match:
    """Returns the match of those who submitted together."""
    teams = list(dict.fromkeys(match.team for match in matches if match.team))
    uncertain = next((match for match in matches if match.reason), None)
    if uncertain is not None:
        return uncertain
    if len(teams) == 1:
        return Match(teams[0])
    if teams:
        return unsettled_team(people[0], f"those who submitted it are in {len(teams)} teams", teams)
    return Match(
        reason="the roster does not have this student",
        advice=f"add a row, or pass {assign_option(people[0], 'TEAM')}",
    )


def _own_names(found: Sequence[HandedIn], rule: NameRule | None) -> Iterator[Place]:
    """Yields each submission under its own name: that of the file if there is a rule, else that of the student."""
    for each, label in zip(found, _labels(found), strict=True):
        if rule is not None and not each.plain and each.file and not rule.refusal(each.file):
            label = Path(each.file).stem
        yield label, _strangers(label, each.people), "", ""


def _labels(found: Sequence[HandedIn], teams: Iterable[str] = ()) -> list[str]:
    """Returns a team's name for each submission whose team is unknown. Different people have different names, and none
    looks like that of a team."""
    labels = [unicodedata.normalize("NFC", each.label) for each in found]  # some file systems decompose accents
    counts = Counter(map(name_key, labels))
    taken = {key for team in teams for key in name_keys(team)}
    for number, each in enumerate(found):
        if each.plain or not each.people:
            continue
        key = each.people[0].key
        if counts[name_key(each.label)] > 1:
            labels[number] = unicodedata.normalize("NFC", key)
        if not taken.isdisjoint(name_keys(labels[number])):
            labels[number] = f"unknown {labels[number]}"
        if name_refusal(labels[number]):  # a person's name may have characters that a team's cannot
            ids = (*each.people[0].ids, *re.findall(r"[0-9]+$", key))
            labels[number] = f"student {ids[0]}" if ids else labels[number]
    return labels


def _strangers(team: str, people: Iterable[Person]) -> tuple[Student, ...]:
    """Returns people as students, as far as the export knows them."""
    return tuple(
        Student(team, each.name, *(next(iter(known), "") for known in (each.ids, each.emails))) for each in people
    )


def _joined(found: Iterable[Submission], *, newest: bool) -> list[Submission]:
    """Merges the submissions of several students of the same team into one: the bot, unless they differ."""
    teams: dict[str, list[Submission]] = {}
    for each in found:
        teams.setdefault(each.name, []).append(each)
    joined = []
    for same in teams.values():
        students = tuple(dict.fromkeys(student for each in same for student in each.students))
        bots: dict[str, list[Submission]] = {}
        for each in same:
            if each.source is not None:
                bots.setdefault(each.source.text, []).append(each)
        if not students:  # files or folders of one name: `_name_refusals` has them
            joined += same
        elif bots:
            joined.append(replace(_choice(list(bots.values()), newest=newest), students=students))
        else:
            joined.append(replace(same[0], students=students))
    return joined


def _choice(bots: Sequence[Sequence[Submission]], *, newest: bool) -> Submission:
    """Returns the only bot of a team, or the newest if that is wanted and certain, or a refusal.

    bots: the submissions of each bot. A bot is as late as the first of them.
    """
    if len(bots) == 1:
        return _in_time(bots[0])
    each_once = [_newest(same) for same in bots]
    times = [each.handed_in for each in each_once if each.handed_in is not None]
    is_certain = len(times) == len(bots) and times.count(max(times)) == 1
    if newest and is_certain:
        return _in_time(bots[times.index(max(times))])
    which = ", ".join(f"{each.file} of {one_line(each.sender, MAX_NAME)}{_when(each.handed_in)}" for each in each_once)
    how = "pass --newest to take the newest" if is_certain else "remove all but one from the export"
    reason = f"{len(bots)} different bots were submitted for this team: {which}"
    return replace(each_once[0], source=None, reason=reason, advice=how)


def _in_time(same: Iterable[Submission]) -> Submission:
    return min(same, key=lambda each: (each.late is not None, each.late or 0))


def _newest(same: Iterable[Submission]) -> Submission:
    return max(same, key=lambda each: (each.handed_in is not None, each.handed_in and each.handed_in.timestamp()))


def _when(time: datetime | None) -> str:
    return "" if time is None else f" ({time.astimezone():%Y-%m-%d %H:%M:%S})"


def _without_submission(found: Sequence[Submission], roster: Roster | None) -> list[Submission]:
    """Returns a refusal for each team of the roster that has no submission."""
    there = {each.name for each in found}
    missing: dict[str, list[Student]] = {}
    for student in roster or ():
        if student.team not in there:
            missing.setdefault(student.team, []).append(student)
    return [Submission(team, None, NOTHING, tuple(students)) for team, students in missing.items()]


def _with_table(found: Sequence[Submission], path: Path) -> list[Submission]:
    """Adds the contents of `noughts collect`'s table: students, late submissions, and refusals, which have no file."""
    heads, *rows = read_csv(path, ROSTER) or [[]]
    teams = {each.name: each for each in found}
    for row in rows:
        cells = dict(zip(heads, row, strict=False))
        name, student = cells.get("team", ""), Student(*(cells.get(column, "") for column in TABLE[:4]))
        if not name or name.startswith("_"):
            continue
        refused = Submission(name, None, cells.get("reason") or "its file is no longer in the folder")
        each = teams.get(name, refused)
        teams[name] = replace(each, students=(*each.students, student), late=parse_late(cells.get("late", "")))
    return list(teams.values())
