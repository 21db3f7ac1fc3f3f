"""What is asked of a tournament file: status, standings, games, marks. Nothing here changes the file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from noughts.commands._audience import add_audience, visibility_from
from noughts.commands.output import counted, print_json, table, width, write_file
from noughts.commands.tournament._standings import season, show_standings
from noughts.commands.tournament._status import (
    draw_remarks,
    games_line,
    notice_lines,
    slow_remarks,
    status_facts,
    title,
)
from noughts.course.lms import fill_in, read_extra
from noughts.course.roster import Roster, Student, read_roster
from noughts.course.thresholds import read_thresholds
from noughts.printable import paragraph
from noughts.tournaments.marks import Mark, by_student, merged, to_csv
from noughts.tournaments.store import TournamentFile, TournamentStore, record_of
from noughts.tournaments.summary import marks_of, standings_of
from noughts.tournaments.visibility import PUBLIC, Visibility

HELP = {
    "status": """How far a tournament is: contestants, games, faults, machines.

examples:
  noughts tournament status class.noughts
  noughts tournament status class.noughts --json
""",
    "standings": """The table, ratings with 95% intervals, and how sure the places are.

Points are summed, as in the course; docs/tournament.md says how ties, ratings
and certainty are computed. --season compares all tournaments of the file.

examples:
  noughts tournament standings class.noughts
  noughts tournament standings class.noughts --pools
  noughts tournament standings class.noughts --season
""",
    "games": """List every game: players, points, how it ended.

--json adds the moves and the seconds of every move.

The output may be published: a fault is named by its kind only, and seeds are
left out until the tournament is frozen. --for TEAM adds the team's own fault
texts, --staff adds everything. With one of them, --all adds games that do not
count: of earlier versions, of the check, and those that were played again.

examples:
  noughts tournament games class.noughts --bot team7
  noughts tournament games class.noughts --json > games.json
  noughts tournament games class.noughts --staff --all
""",
    "marks": """Marks of the teams.

The course's 50 (30 for the group stage, 10 for the semi-final, 10 for the
final, in proportion to the best of the pool); for other formats 50 in
proportion to the best in what their table is ordered by (points, points a game,
or the score expected by rating), so that nobody has fewer marks than a team
further down; or with --thresholds by results against staff bots.

--roster gives one row for each student (columns team, name, id, email; the file
_collected.csv of `noughts collect` will do). --into fills in what your LMS
exports, Moodle's grading worksheet or gradebook or Canvas's gradebook, for its
importer; the filled file is written beside it. --merge adds marks given by
hand: a CSV file with a column team or id, then one for each part, as report/20;
a column factor multiplies, as 0 for plagiarism.

examples:
  noughts tournament marks class.noughts
  noughts tournament marks class.noughts --thresholds marks.toml
  noughts tournament marks class.noughts --csv marks.csv
  noughts tournament marks class.noughts --roster roster.csv --csv marks.csv
  noughts tournament marks class.noughts --roster roster.csv --into grades.csv
  noughts tournament marks class.noughts --merge reports.csv
""",
}
FAULTS_SHOWN = 10
IN_PROPORTION = "in proportion to the points of the best of the pool (below 0: none)"


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add = parser.add_argument
    if action == "standings":
        add("--pools", action="store_true", help="a table for each pool of each stage")
        add("--season", action="store_true", help="each team's way through all tournaments of the file")
        add("--top", type=int, default=3, metavar="N", help="how sure it is to be among the first N (3)")
    if action == "games":
        add("--bot", metavar="NAME", help="only this contestant's")
        add("--all", action="store_true", help="also those that do not count")
        add_audience(parser, "public")
    if action == "marks":
        add("--thresholds", metavar="FILE.toml", help="marks by results against staff bots")
        add("--csv", metavar="FILE", help="write them there, too")
        add("--roster", metavar="FILE.csv", help="one row for each student")
        add("--merge", metavar="FILE.csv", action="append", default=[], help="add marks given by hand; may be repeated")
        add("--into", metavar="EXPORT.csv", help="fill in an export of Moodle or Canvas, as EXPORT-marks.csv")
        add("--column", help="of --into, if it has several columns of grades")
    add("--json", action="store_true", help="machine-readable output")


def add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a tournament file")
    parser.add_argument("--name", help="of the tournament, if the file holds several (the latest)")


def run(args: argparse.Namespace) -> int:
    with TournamentFile(args.file) as file:
        if args.action == "standings" and args.season:
            return season(file, as_json=args.json)
        tournament = file.tournament(args.name)
        return {"status": _status, "standings": show_standings, "games": _games, "marks": _marks}[args.action](
            tournament, args
        )


# Status.


def _status(tournament: TournamentStore, args: argparse.Namespace) -> int:
    facts = status_facts(tournament)
    if args.json:
        print_json(facts)
        return 0
    print("\n".join(title(tournament)))
    print(f"{games_line(facts)}\n")
    print(_entries_table(tournament))
    for line in _remarks(tournament, facts):
        print(f"\n{paragraph(line, width())}")
    return 0


def _entries_table(tournament: TournamentStore) -> str:
    rows = []
    for entry in tournament.entries.all():
        state = "removed" if entry.removed else "plays" if entry.plays else "waits" if entry.candidate_id else "is out"
        if entry.staff:
            state += ", staff"
        rows.append([entry.name, str(entry.version or ""), state, entry.reason])
    return table(["name", "version", "", "why"], rows) if rows else "nobody has entered"


def _remarks(tournament: TournamentStore, facts: Mapping[str, Any]) -> Iterable[str]:
    """What somebody should look at."""
    for fault in facts["faults"][-FAULTS_SHOWN:]:
        yield f"game {fault['game']}, {fault['name']}: {fault['fault']}"
    if len(facts["faults"]) > FAULTS_SHOWN:
        yield f"... and {len(facts['faults']) - FAULTS_SHOWN} faults before these (`games --staff` has them all)"
    yield from slow_remarks(tournament, facts["slow"])
    yield from draw_remarks(facts)


# Games.


def _games(tournament: TournamentStore, args: argparse.Namespace) -> int:
    if args.bot is not None:
        tournament.entries.find(args.bot)
    visibility = visibility_from(args, tournament)
    if args.all and visibility == PUBLIC:
        raise ValueError("--all lists games that the public does not see; add --staff, or --for TEAM")
    told = tournament.game_rows(name=args.bot, everything=args.all, replays=args.json)
    games = filter(visibility.sees_game, told)
    if args.json:
        comma = "["
        for game in games:
            facts = game_facts(game, visibility) | {"rehearsal": tournament.settings.rehearsal is not None}
            print(f"{comma}\n{json.dumps(facts)}", end="")
            comma = ","
        print("\n]" if comma == "," else "[]")
        return 0

    rows = [
        [
            str(game["number"]),
            f"{game['stage']} {game['pool']}/{game['round']}",
            f"{game['first']} - {game['second']}",
            f"{game['first_points']} : {game['second_points']}",
            game["fault"] or game["reason"] if game["counts"] else f"(does not count) {game['reason']}",
        ]
        for game in (visibility.row(game) for game in games)
    ]
    print(
        *notice_lines(tournament), table(["game", "pool/round", "players", "points", "end"], rows, right=(0,)), sep="\n"
    )
    return 0


def game_facts(game: Mapping[str, Any], visibility: Visibility) -> dict[str, Any]:
    """Returns one game as plain data: its columns, and moves, seconds and fault from the replay."""
    record, game, fault = record_of(game), visibility.row(game), None
    if record.fault is not None and record.faulty is not None:
        seen = visibility.fault(record.fault, record.players[record.faulty])
        fault = {"player": record.faulty, "kind": seen.kind, "text": seen.text, "line": seen.line}
    return {
        "number": game["number"],
        "stage": game["stage"],
        "pool": game["pool"],
        "round": game["round"],
        "players": [game["first"], game["second"]],
        "versions": [game["first_version"], game["second_version"]],
        "counts": bool(game["counts"]),
        "void": game["void"],
        "seed": game["seed"],
        "moves": record.moves,
        "seconds": record.seconds,
        "winner": game["winner"],
        "reason": game["reason"],
        "points": [game["first_points"], game["second_points"]],
        "fault": fault,
        "finished": game["finished"],
        "machine": game["machine"],
        "speed": game["speed"],
    }


# Marks.


def _marks(tournament: TournamentStore, args: argparse.Namespace) -> int:
    rehearsal = tournament.settings.rehearsal is not None
    if rehearsal and (args.csv or args.into):
        raise ValueError("these are the games of a rehearsal: take --csv and --into from the tournament that counts")
    thresholds = None if args.thresholds is None else read_thresholds(args.thresholds)
    marks = marks_of(tournament, thresholds)
    found = standings_of(tournament)
    places = {row.name: row.place for row in found.order}
    students: list[Student] = []
    if args.roster is not None:
        marks, students = by_student(marks, read_roster(args.roster))
    for extra in map(read_extra, args.merge):
        if extra.by == "id" and not students:
            raise ValueError("--merge with a column id needs --roster, which says whose ids they are")
        ids = [student.id for student in students] if extra.by == "id" else [mark.name for mark in marks]
        marks = merged(marks, extra, ids)
    if args.csv is not None:
        write_file(args.csv, to_csv(marks, students))
    if args.into is not None:
        _fill_in(marks, students, args)
    if args.json:
        print_json(
            [
                mark_facts(mark, places.get(mark.name), students[number] if students else None)
                | {"rehearsal": rehearsal}
                for number, mark in enumerate(marks)
            ]
        )
    else:
        by_format = tournament.settings.format == "course"
        how = IN_PROPORTION if by_format else f"in proportion to the best in {found.measures[1]} (below 0: none)"
        how = how if thresholds is None else "by the thresholds"
        print(*notice_lines(tournament), _marks_table(marks, students, places), sep="\n")
        if marks:
            print(f"\nout of {marks[0].out_of:g}, {how}{' and by hand' if args.merge else ''}")
            for line in _mark_remarks(tournament, marks, places, found.ordered_by):
                print(paragraph(line, width()))
        if args.csv is not None:
            print(f"written to {Path(args.csv)}", file=sys.stderr)
    return 0


def _marks_table(marks: Sequence[Mark], students: Sequence[Student], places: Mapping[str, int]) -> str:
    """Returns the marks with their parts; students: of each mark, or none."""
    heads = ["team", *(["student"] if students else []), "place", "marks"]
    heads += [part.name for mark in marks[:1] for part in mark.parts]
    rows = [
        [
            mark.name,
            *([students[number].name or students[number].id] if students else []),
            str(places.get(mark.name, "")),
            f"{mark.marks:.2f}",
            *(f"{part.marks:.2f}" for part in mark.parts),
        ]
        for number, mark in enumerate(marks)
    ]
    return table(heads, rows, right=range(heads.index("place"), len(heads)))


def _fill_in(marks: Sequence[Mark], students: Sequence[Student], args: argparse.Namespace) -> None:
    """Fills in an export of an LMS, and says what did not fit."""
    if not students:
        raise ValueError("--into needs --roster, which says who is in which team")
    grades = {student: f"{mark.marks:.2f}" for student, mark in zip(students, marks, strict=True)}
    filled = fill_in(args.into, Roster(students), grades.__getitem__, args.column)
    target = Path(args.into).with_name(f"{Path(args.into).stem}-marks.csv")
    write_file(str(target), filled.text)
    said = [f"{target}: {counted(filled.filled, 'row')} of the column {filled.column!r} filled in"]
    if filled.out_of is not None and marks and filled.out_of != marks[0].out_of:
        said.append(f"The LMS gives {filled.out_of:g} at most, and these marks are out of {marks[0].out_of:g}.")
    if filled.unknown:
        said.append(f"Left as they were, as the roster does not have them: {', '.join(filled.unknown)}.")
    if filled.missing:
        names = ", ".join(student.name or student.id for student in filled.missing)
        said.append(f"In the roster and not in {args.into}: {names}.")
    for line in said:
        print(paragraph(line, width()), file=sys.stderr)


def _mark_remarks(
    tournament: TournamentStore, marks: Sequence[Mark], places: Mapping[str, int], ordered_by: str
) -> Iterable[str]:
    """Yields what should be known of the marks: orders that differ, bots admitted all the same, old draws."""
    yield from _contradictions(marks, places, ordered_by)
    warned = [entry for entry in tournament.entries.all() if entry.reason and entry.plays and not entry.staff]
    for entry in warned:
        yield f"{entry.name} {tournament.entries.fate(entry)}: {entry.reason}"
    yield from draw_remarks(status_facts(tournament))


def _contradictions(marks: Sequence[Mark], places: Mapping[str, int], ordered_by: str) -> Iterable[str]:
    """Says so if somebody has fewer marks than a team further down the table."""
    down = sorted((mark for mark in marks if mark.name in places), key=lambda mark: places[mark.name])
    for above, below in pairwise(down):
        if above.marks < below.marks:
            yield (
                f"Places go by {ordered_by}, and marks by another rule: {above.name} (place {places[above.name]}) has "
                f"{above.marks:.2f}, {below.name} (place {places[below.name]}) {below.marks:.2f}."
            )
            return


def mark_facts(mark: Mark, place: int | None, student: Student | None = None) -> dict[str, Any]:
    who = {} if student is None else {"student": student.name, "id": student.id, "email": student.email}
    return {
        "name": mark.name,
        **who,
        "place": place,
        "marks": mark.marks,
        "out_of": mark.out_of,
        "parts": [asdict(part) for part in mark.parts],
    }
