"""Make one clean folder of bots from an LMS download.

EXPORT is the zip, or the unpacked folder, that you get from Moodle ("download
all submissions"), Canvas ("download submissions") or Gradescope ("export
submissions"). It can also be a folder with a file NAME.py, a folder NAME or a
zip NAME.zip for each team.

Each submission becomes an entry or is refused, with the reason: no Python
file, several of them, a damaged zip, a link, or a name that --name-rule
forbids. Bots in subfolders and zips are found. Late submissions are marked,
not refused: --deadline uses Gradescope's times or the file times in Moodle's
zip; Canvas marks late submissions itself.

--roster assigns students to teams: a CSV file with the columns team, name, id
and email. Without it, each student is a team. A person must have the whole
name, the email, or the id of a student (Moodle's participant number is no id).
If these disagree, or fit two people, the submission is refused, with the
--assign that settles it. If the members of a team submit different bots,
--name-rule may leave one of them, and --newest takes the newest.

The folder also gets _collected.csv, a table of people, late submissions and
refusals that `tournament run` reads.

--demo writes a sample class instead: Moodle's zip and worksheet, a roster, and
the bots of 12 teams, with the commands from there to marks.

examples:
  noughts collect --demo
  noughts collect submissions.zip --out BOTS/
  noughts collect submissions.zip --out BOTS/ --roster roster.csv
  noughts collect EXPORT/ --out BOTS/ --deadline "2026-11-17 23:59"
  noughts collect EXPORT/ --out BOTS/ --roster roster.csv --newest
  noughts collect EXPORT/ --out BOTS/ --name-rule "team{number}.py:Team{number}"
"""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts.commands._bot_options import add_assign, add_name_rule
from noughts.commands._options import add_json
from noughts.commands.output import Report, table, width
from noughts.course.handed_in import read_time
from noughts.course.people import read_assigned
from noughts.course.roster import ROSTER, read_csv, read_roster
from noughts.course.rules import NameRule
from noughts.course.sample import (
    DEADLINE,
    EXPORT_FILE,
    GAME,
    NAME_RULE,
    NAMESAKES,
    ROSTER_FILE,
    WORKSHEET_FILE,
    write_sample,
)
from noughts.course.submissions import COLLECTED, NOTHING, TABLE, Submission, submissions, table_of
from noughts.files import make_folder, write_whole
from noughts.printable import counted, one_line, paragraph, shell_quote
from noughts.tournaments.lateness import late_words
from noughts.tournaments.names import name_refusal

DEMO_FOLDER = "sample-class"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("export", metavar="EXPORT", nargs="?", help="LMS download: a zip or a folder")
    add("--out", metavar="BOTS", help="folder to write: new, empty, or from an earlier `collect`")
    add("--demo", metavar="DIR", nargs="?", const=DEMO_FOLDER, help=f"write a sample class (default: {DEMO_FOLDER}/)")
    add("--roster", metavar="FILE.csv", help="CSV file with the columns team, name, id, email")
    add_assign(parser)
    add("--group", action="append", default=[], metavar="NAME", help="Moodle group whose name is before the students'")
    add("--newest", action="store_true", help="take the newest of several bots of a team")
    add("--deadline", metavar="TIME", help='mark submissions after this time, as "2026-11-17 23:59"')
    add_name_rule(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if args.demo is not None:
        if args.export is not None or args.out is not None:
            raise ValueError("--demo writes its own export; leave out EXPORT and --out")
        return _demo(Path(args.demo))
    if args.export is None or args.out is None:
        raise ValueError("name an LMS download and, with --out, the folder to write; --demo writes a sample to try")
    if args.roster is None and (args.assign or args.group):
        raise ValueError("--assign and --group need --roster, which has the students")
    found = submissions(
        args.export,
        roster=None if args.roster is None else read_roster(args.roster),
        assigned=read_assigned(args.assign),
        groups=args.group,
        newest=args.newest,
        deadline=None if args.deadline is None else read_time(args.deadline),
        rule=NameRule(args.name_rule) if args.name_rule else None,
    )
    _write(found, Path(args.out))
    bots = sum(each.source is not None for each in found)
    missing = sum(each.reason == NOTHING for each in found)
    parts = [table(["team", "students", "file", "result"], [_row(each) for each in found])]
    reasons = [
        f"{each.name}: {'; '.join(filter(None, [each.reason, each.advice]))}"
        for each in found
        if each.advice or each.reason not in ("", NOTHING)
    ]
    parts += ["\n".join(paragraph(reason, width()) for reason in reasons)] if reasons else []
    parts.append(
        f"{counted(bots, 'bot')} in {one_line(args.out)}, {len(found) - bots - missing} refused, {missing} without a "
        f"submission; people and reasons are in {one_line(Path(args.out, COLLECTED))}"
    )
    data = {"folder": args.out, "submissions": [_facts(each) for each in found]}
    audience = f"{one_line(args.out)} is for staff only: it contains the bots and names of all teams"
    return Report(data, "\n\n".join(parts), notes=[audience])


def _demo(folder: Path) -> Report:
    """Writes the sample class, and shows the way from there to marks."""
    uploads = write_sample(folder)
    rows = [[upload.team or "-", upload.person, upload.file or "-", upload.shows] for upload in uploads]
    bots, file, roster = folder / "BOTS", folder / "class.noughts", folder / ROSTER_FILE
    collect = (
        f"noughts collect {shell_quote(folder / EXPORT_FILE)} --out {shell_quote(bots)} --roster {shell_quote(roster)} "
        f"--name-rule {shell_quote(NAME_RULE)} --deadline {shell_quote(f'{DEADLINE:%Y-%m-%d %H:%M}')}"
    )
    namesakes = [upload for upload in uploads if upload.shows == NAMESAKES]
    assigned = " ".join(f"--assign {shell_quote(f'{upload.key}={upload.team}')}" for upload in namesakes)
    steps = [
        ("Read what is refused, and why:", collect),
        ("Settle it:", f"{collect} --newest {assigned}"),
        (
            "Play:",
            f"noughts tournament run {shell_quote(bots)} --file {shell_quote(file)} --game {GAME} --time 1",
        ),
        (
            "Fill in Moodle's worksheet; late submissions lose a tenth for each day:",
            f"noughts tournament marks {shell_quote(file)} --roster {shell_quote(roster)} "
            f"--into {shell_quote(folder / WORKSHEET_FILE)} --late 0.9",
        ),
    ]
    text = "\n\n".join(
        [
            f"Moodle's {EXPORT_FILE} and {WORKSHEET_FILE}, and {ROSTER_FILE}, are in {one_line(folder)}.",
            table(["team", "student", "file", "shows"], rows),
            *(f"{title}\n  {command}" for title, command in steps),
        ]
    )
    return Report({"folder": str(folder), "commands": [command for _, command in steps]}, text)


def _write(found: list[Submission], folder: Path) -> None:
    """Writes the bots and the table. Replaces only files that an earlier `collect` wrote."""
    former: list[str] = []
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / COLLECTED).is_file():
            raise ValueError(f"{folder} contains other files; pass --out with a new folder")
        heads, *rows = read_csv(folder / COLLECTED, ROSTER) or [[]]
        names = [dict(zip(heads, row, strict=False)).get("file", "") for row in rows]
        former = [name for name in names if name.endswith(".py") and not name_refusal(name.removesuffix(".py"))]
        if heads[: len(TABLE)] != list(TABLE):
            raise ValueError(f"{folder / COLLECTED} was not written by `collect`; pass --out with a new folder")
    make_folder(folder)
    bots = {f"{each.name}.py": each.source for each in found if each.source is not None}
    for name in bots:
        if name not in former and (folder / name).exists():
            raise ValueError(f"{folder / name} was not written by `collect`; move it, or pass --out with a new folder")
    # The table comes first, so that the next `collect` recognises the folder if this one is stopped.
    write_whole(folder / COLLECTED, table_of(found).encode(errors="replace"))
    for name, source in bots.items():
        write_whole(folder / name, source.text.encode(errors="replace"))
    for name in former:
        if name not in bots:
            (folder / name).unlink(missing_ok=True)


def _row(each: Submission) -> list[str]:
    people = ", ".join(student.name or student.id for student in each.students)
    result = "entry" if each.source is not None else NOTHING if each.reason == NOTHING else "refused"
    return [
        each.name,
        people,
        one_line(each.file, 40),
        f"{result}{f' ({late_words(each.late)})' if each.late is not None else ''}",
    ]


def _facts(each: Submission) -> dict[str, object]:
    return {
        "team": each.name,
        "students": [{"name": one.name, "id": one.id, "email": one.email} for one in each.students],
        "file": each.file,
        "entry": each.source is not None,
        "reason": each.reason,
        "advice": each.advice,
        "late": late_words(each.late),
    }
