"""Submissions by team: reads any layout of `course.handed_in` and joins it to the roster.

Every submission, and every student of the roster, gets a bot or a reason why there is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from noughts.course.handed_in import HandedIn, handed_in
from noughts.course.roster import ROSTER, Roster, Student, read_csv
from noughts.course.rules import NameRule
from noughts.matches.store_file import StoreError
from noughts.printable import csv_text, one_line
from noughts.sandbox.source import BotSource
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

    students: its members, as far as known. file: the bot's file as submitted. late: how late it is, '' if it is not.
    """

    name: str
    source: BotSource | None = None
    reason: str = ""
    students: tuple[Student, ...] = ()
    file: str = ""
    late: str = ""


def submissions(
    path: str | Path,
    known: Collection[str] = (),
    *,
    roster: Roster | None = None,
    deadline: datetime | None = None,
    rule: NameRule | None = None,
) -> list[Submission]:
    """Returns all submissions of a folder or zip, by name of the team.

    Among names that look the same, a known one is kept and the others are refused; if none is known, all are refused.
    Raises StoreError if the folder or zip does not exist or is empty.
    """
    try:
        found = [_submission(each, roster, deadline, rule) for each in handed_in(path)]
    except ValueError as error:
        raise StoreError(str(error)) from None
    teams = _joined(found)
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
    """Enters all bots of a folder. A changed file becomes a new version; removed bots stay removed."""
    found = submissions(folder, tournament.entries.known_names())
    return sync_bots(tournament, {each.name: each.source or each.reason for each in found})


def table_of(found: Iterable[Submission]) -> str:
    """Returns the table that joins teams to people: a row for each student, with the refusals."""
    rows: list[Sequence[str]] = [TABLE]
    for each in found:
        for student in each.students or (Student(each.name),):
            file = f"{each.name}.py" if each.source is not None else ""
            rows.append((each.name, student.name, student.id, student.email, file, each.late, each.reason))
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


def _submission(each: HandedIn, roster: Roster | None, deadline: datetime | None, rule: NameRule | None) -> Submission:
    late = "late" if each.late else ""
    if deadline is not None and each.handed_in is not None and each.handed_in > deadline:
        late = _delay((each.handed_in - deadline).total_seconds())
    name, students, reason = _team(each, roster, rule)
    reason = reason or each.reason
    if each.source is not None and not reason and rule is not None:
        reason = rule.refusal(each.file)
    if refusal := name_refusal(name):
        name, reason = f"'{one_line(name, MAX_NAME)}'", refusal  # in quotes, unlike any team
    return Submission(name, None if reason else each.source, reason, students, each.file, late)


def _team(each: HandedIn, roster: Roster | None, rule: NameRule | None) -> tuple[str, tuple[Student, ...], str]:
    """Returns the name of a submission's team, its students, and the reason if the team is unknown."""
    label = unicodedata.normalize("NFC", each.label)  # some file systems decompose accents
    if each.plain:
        students = () if roster is None else tuple(one for one in roster if name_key(one.team) == name_key(label))
        missing = "" if roster is None or students else "the roster has no team of this name"
        return label, students, missing
    people = [student for student in each.people if student.name or student.id]
    if roster is not None:
        for one in people:
            # Moodle puts the name of a group and "-" before a student's.
            found = roster.find(one.name, one.id, one.email) or roster.find(one.name.partition("-")[2])
            team = found.team if found is not None else _team_of_group(one.name, roster)
            if team:
                return team, tuple(student for student in roster if student.team == team), ""
    if roster is None and rule is not None and each.file and not rule.refusal(each.file):
        label = Path(each.file).stem
    if name_refusal(label):  # a person's name may have characters that a team's cannot
        label = f"student {people[0].id}" if people and people[0].id else label
    students = tuple(replace(one, team=label) for one in people)
    return label, students, "" if roster is None else "the roster does not have this student; add a row"


def _team_of_group(name: str, roster: Roster) -> str:
    """Returns the team of the roster for a group of an LMS; '' if there is none. Canvas removes spaces from names."""
    plain = _letters(name)
    return next((student.team for student in roster if plain and _letters(student.team) == plain), "")


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _joined(found: Iterable[Submission]) -> list[Submission]:
    """Merges the submissions of several students of the same team into one: the bot, unless they differ."""
    teams: dict[str, list[Submission]] = {}
    for each in found:
        teams.setdefault(each.name, []).append(each)
    joined = []
    for same in teams.values():
        students = tuple(dict.fromkeys(student for each in same for student in each.students))
        bots = {each.source.text: each for each in same if each.source is not None}
        if not students:  # files or folders of one name: `_name_refusals` has them
            joined += same
        elif len(bots) > 1:
            files = ", ".join(each.file for each in bots.values())
            reason = f"{len(bots)} different bots were submitted for this team ({files}); keep one of them"
            joined.append(replace(same[0], source=None, reason=reason, students=students))
        else:
            joined.append(replace(next(iter(bots.values()), same[0]), students=students))
    return joined


def _without_submission(found: Sequence[Submission], roster: Roster | None) -> list[Submission]:
    """Returns a refusal for each team of the roster that has no submission."""
    there = {name_key(each.name) for each in found}
    missing: dict[str, list[Student]] = {}
    for student in roster or ():
        if name_key(student.team) not in there:
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
        teams[name] = replace(each, students=(*each.students, student), late=cells.get("late", ""))
    return list(teams.values())


def _delay(seconds: float) -> str:
    """Returns a delay, such as "2 h late"."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} late"
    return f"{seconds:.0f} s late"
