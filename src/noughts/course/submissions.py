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
from noughts.printable import csv_text, listed, one_line, shell_quote
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
    advice: how to settle the reason, or uploads of the team that are left out; for staff only, since it names students.
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
    removed: Collection[str] = (),
    remove: str = "",
    roster: Roster | None = None,
    assigned: Assigned | None = None,
    groups: Collection[str] = (),
    deadline: datetime | None = None,
    rule: NameRule | None = None,
    newest: bool = False,
) -> list[Submission]:
    """Returns all submissions of a folder or zip, by name of the team.

    assigned, groups: see `people.match_people`. newest: if the members of a team submitted different bots, takes the
    newest one. Among names that look the same, the one on the roster or in the table of `noughts collect` is kept, else
    a known one, and the others are refused; if there is none, all are refused. removed: names that do not count.
    remove: the command that removes names from the tournament, for the reason of a refusal. Raises StoreError if the
    folder or zip does not exist or is empty, and ValueError if `assigned` names a person or student who is unknown.
    """
    try:
        uploads = handed_in(path, None if rule is None else lambda file: not rule.refusal(file))
    except ValueError as error:
        raise StoreError(str(error)) from None
    places = _teams(uploads, roster, assigned, groups) if roster is not None else _own_names(uploads, rule)
    alone = [_submission(upload, *place, deadline, rule) for upload, place in zip(uploads, places, strict=True)]
    teams = _joined(alone, newest=newest)
    teams += _without_submission(teams, roster)
    listed_names = set(() if roster is None else roster.teams)
    if Path(path, COLLECTED).is_file():
        teams = _with_table(teams, Path(path, COLLECTED))
        listed_names |= {team.name for team in teams if team.students}
    if not teams:
        raise StoreError(f"{path} contains no bots; a bot is a file NAME.py, or a Python file in its own folder NAME")
    teams.sort(key=lambda team: natural_order(team.name))
    names = [team.name for team in teams if team.name not in removed]
    refusals = _name_refusals(known, names, listed_names, remove)
    return [
        replace(team, source=None, reason=refusals[team.name]) if team.name in refusals else team
        for team in {team.name: team for team in teams}.values()
    ]


def submissions_of_new(file: Path, folder: str | Path) -> list[Submission]:
    """Returns all submissions of a folder for a new tournament. file: of the tournament; it need not exist yet."""
    return submissions(folder, remove=_remove_command(file))


def _remove_command(file: Path) -> str:
    return f"noughts tournament remove {shell_quote(file)}"


def sync_folder(tournament: TournamentStore, folder: str | Path, teams: Sequence[Submission] | None = None) -> Changes:
    """Enters all bots of a folder. A changed file becomes a new version; removed bots stay removed. teams: the
    submissions, if `submissions_of_new` has already read them.

    Only the table of `noughts collect` tells what is in time; other folders, at most what is late.
    """
    if teams is None:
        removed = {entry.name for entry in tournament.entries.all() if entry.removed}
        remove = _remove_command(tournament.file.path)
        teams = submissions(folder, tournament.entries.known_names(), removed=removed, remove=remove)
    has_table = Path(folder, COLLECTED).is_file()
    late = {team.name: team.late for team in teams if has_table or team.late is not None}
    return sync_bots(tournament, {team.name: team.source or team.reason for team in teams}, late)


def table_of(teams: Iterable[Submission]) -> str:
    """Returns the table that joins teams to people: a row for each student, with the refusals."""
    rows: list[Sequence[str]] = [TABLE]
    for team in teams:
        for student in team.students or (Student(team.name),):
            file = f"{team.name}.py" if team.source is not None else ""
            rows.append((team.name, student.name, student.id, student.email, file, late_words(team.late), team.reason))
    return csv_text(rows)


def _name_refusals(
    known: Collection[str], names: Sequence[str], on_roster: Collection[str], remove: str
) -> dict[str, str]:
    """Returns why submissions cannot have their names, by name. known: the existing teams. on_roster: the names of the
    roster, which go before known ones. remove: see `submissions`.
    """
    owners = {key: (name, "existing team") for name in known for key in name_keys(name)}
    owners |= {key: (name, "team of the roster") for name in on_roster for key in name_keys(name)}
    same, alike = Counter(names), Counter(key for name in names for key in name_keys(name))
    refusals = {}
    for name in same:
        keys = name_keys(name)
        holders = {owners[key] for key in keys if key in owners}
        owner = next((holder for holder in sorted(holders) if holder[0] != name), None)
        count = same[name] if holders else max(alike[key] for key in keys)
        if owner is not None:
            refusals[name] = f"the {owner[1]} {owner[0]!r} looks the same; rename the file"
        elif count > 1:
            others = [other for other in same if other != name and not set(keys).isdisjoint(name_keys(other))]
            settled = f"; or `{remove} {' '.join(map(shell_quote, others))}` lets it in" if remove and others else ""
            refusals[name] = (
                f"{count} submissions have this name or a similar-looking one; give each its own name{settled}"
            )
    return refusals


Place = tuple[str, tuple[Student, ...], str, str]
"""The name of a submission's team, its students, and if the team is unknown, the reason and the advice."""


def _submission(
    upload: HandedIn,
    name: str,
    students: tuple[Student, ...],
    reason: str,
    advice: str,
    deadline: datetime | None,
    rule: NameRule | None,
) -> Submission:
    late = 0 if upload.late else None
    if deadline is not None and upload.handed_in is not None:
        late = late_minutes((upload.handed_in - deadline).total_seconds()) or late
    reason = reason or upload.reason
    if upload.source is not None and not reason and rule is not None:
        reason = rule.refusal(upload.file)
    if refusal := name_refusal(name):
        name, reason = f"'{one_line(name, MAX_NAME)}'", refusal  # in quotes, unlike any team
    source = None if reason else upload.source
    return Submission(name, source, reason, students, upload.file, late, upload.label, upload.handed_in, advice)


def _teams(
    uploads: Sequence[HandedIn], roster: Roster, assigned: Assigned | None, groups: Collection[str]
) -> Iterator[Place]:
    """Yields the place of each submission on the roster."""
    senders = [() if upload.plain else upload.people or (Person(upload.label),) for upload in uploads]
    people = [person for persons in senders for person in persons]
    matches = iter(match_people(people, roster, assigned, groups))
    plain = {unicodedata.normalize("NFC", upload.label) for upload in uploads if upload.plain}
    for upload, persons, label in zip(uploads, senders, _labels(uploads, roster.teams), strict=True):
        if upload.plain:
            match = _file_match(label, roster.team_like(label), plain)
        else:
            match = _common_match(persons, [next(matches) for _ in persons])
        students = tuple(student for student in roster if student.team == match.team)
        yield match.team or label, students or _strangers(label, persons), match.reason, match.advice


def _file_match(label: str, team: str, labels: Collection[str]) -> Match:
    """Returns the match of a file named after its team. team: the one on the roster that looks the same. labels: the
    names of all files.
    """
    if not team:
        return Match(reason="the roster has no team of this name")
    if label != team and team in labels:
        return Match(reason=f"the team of the roster {team!r} looks the same and has its own file; rename the file")
    return Match(team)


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
    ways = ["add a row", f"pass {assign_option(people[0], 'TEAM')}"]
    ways += [f"pass {match.advice}" for match in matches if match.advice]
    return Match(reason="the roster does not have this student", advice=listed(ways))


def _own_names(uploads: Sequence[HandedIn], rule: NameRule | None) -> Iterator[Place]:
    """Yields each submission under its own name: that of the file if there is a rule, else that of the student."""
    for upload, label in zip(uploads, _labels(uploads), strict=True):
        if rule is not None and not upload.plain and upload.file and not rule.refusal(upload.file):
            label = Path(upload.file).stem
        yield label, _strangers(label, upload.people), "", ""


def _labels(uploads: Sequence[HandedIn], teams: Iterable[str] = ()) -> list[str]:
    """Returns a team's name for each submission whose team is unknown. Different people have different names, and none
    looks like that of a team."""
    counts = Counter(name_key(upload.label) for upload in uploads)
    taken = {key for team in teams for key in name_keys(team)}
    labels = []
    for upload in uploads:
        label = upload.label
        if not upload.plain:
            key, ids = (upload.people[0].key, upload.people[0].ids) if upload.people else (label, ())
            label = key if counts[name_key(label)] > 1 else label
            label = label if taken.isdisjoint(name_keys(label)) else f"unknown {label}"
            ids = (*ids, *re.findall(r"[0-9]+$", key))
            if ids and name_refusal(label):  # a person's name may have characters that a team's cannot
                label = f"student {ids[0]}"
        labels.append(unicodedata.normalize("NFC", label))  # some file systems decompose accents
    return labels


def _strangers(team: str, people: Iterable[Person]) -> tuple[Student, ...]:
    """Returns people as students, as far as the export knows them."""
    return tuple(
        Student(team, person.name, *(next(iter(known), "") for known in (person.ids, person.emails)))
        for person in people
    )


def _joined(alone: Iterable[Submission], *, newest: bool) -> list[Submission]:
    """Merges the submissions of several students of the same team into one: the bot, unless they differ."""
    teams: dict[str, list[Submission]] = {}
    for submission in alone:
        teams.setdefault(submission.name, []).append(submission)
    joined = []
    for same in teams.values():
        students = tuple(dict.fromkeys(student for submission in same for student in submission.students))
        if not students:  # files or folders of one name: `_name_refusals` has them
            joined += same
        else:
            joined.append(replace(_choice(same, newest=newest), students=students))
    return joined


def _choice(same: Sequence[Submission], *, newest: bool) -> Submission:
    """Returns the only bot of a team, or the newest if that is wanted and certain, or a refusal.

    same: the submissions of its members. A bot is as late as its first submission.
    """
    bots: dict[str, list[Submission]] = {}
    for submission in same:
        if submission.source is not None:
            bots.setdefault(submission.source.text, []).append(submission)
    if not bots:
        reasons = dict.fromkeys(submission.reason for submission in same)
        return replace(same[0], reason="; ".join(reasons))
    latest = [max(submissions, key=_time) for submissions in bots.values()]
    latest.sort(key=_time)
    is_certain = latest[0].handed_in is not None and (len(latest) == 1 or _time(latest[-1]) > _time(latest[-2]))
    if len(latest) > 1 and not (newest and is_certain):
        reason = f"{len(bots)} different bots were submitted for this team: {', '.join(map(_upload_words, latest))}"
        how = "pass --newest to take the newest" if is_certain else "remove all but one from the export"
        return replace(latest[0], source=None, reason=reason, advice=how)
    chosen = bots[latest[-1].source.text] if latest[-1].source else latest
    others = [*latest[:-1], *(submission for submission in same if submission.source is None)]
    advice = f"left out: {', '.join(map(_upload_words, others))}" if others else ""
    first = min(chosen, key=lambda submission: (submission.late is not None, submission.late or 0))
    return replace(first, advice=advice)


def _time(submission: Submission) -> float:
    return -1.0 if submission.handed_in is None else submission.handed_in.timestamp()


def _upload_words(submission: Submission) -> str:
    """Returns an upload with its sender, its time, and the reason if it is refused."""
    facts = [] if submission.handed_in is None else [f"{submission.handed_in.astimezone():%Y-%m-%d %H:%M:%S}"]
    facts += [submission.reason] if submission.reason else []
    more = f" ({'; '.join(facts)})" if facts else ""
    return f"{submission.file or 'the upload'} of {one_line(submission.sender, MAX_NAME)}{more}"


def _without_submission(teams: Sequence[Submission], roster: Roster | None) -> list[Submission]:
    """Returns a refusal for each team of the roster that has no submission."""
    there = {team.name for team in teams}
    missing: dict[str, list[Student]] = {}
    for student in roster or ():
        if student.team not in there:
            missing.setdefault(student.team, []).append(student)
    return [Submission(team, None, NOTHING, tuple(students)) for team, students in missing.items()]


def _with_table(teams: Sequence[Submission], path: Path) -> list[Submission]:
    """Adds the contents of `noughts collect`'s table: students, late submissions, and refusals, which have no file."""
    heads, *rows = read_csv(path, ROSTER) or [[]]
    by_name = {team.name: team for team in teams}
    for row in rows:
        cells = dict(zip(heads, row, strict=False))
        name, student = cells.get("team", ""), Student(*(cells.get(column, "") for column in TABLE[:4]))
        if not name or name.startswith("_"):
            continue
        refused = Submission(name, None, cells.get("reason") or "its file is no longer in the folder")
        team = by_name.get(name, refused)
        by_name[name] = replace(team, students=(*team.students, student), late=parse_late(cells.get("late", "")))
    return list(by_name.values())
