"""What is asked of a tournament file: status, standings, games, marks. Nothing here changes the file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.commands._audience import add_audience, visibility_from
from noughts.commands.output import counted, width
from noughts.files import is_locked
from noughts.printable import paragraph, shell_quote

if TYPE_CHECKING:
    from noughts.course.roster import Student
    from noughts.tournaments.marks import Mark
    from noughts.tournaments.store import TournamentStore
    from noughts.tournaments.visibility import Visibility

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
    from noughts.commands.tournament._standings import season, show_standings
    from noughts.tournaments.store import TournamentFile

    with TournamentFile(args.file) as file:
        if args.action == "standings" and args.season:
            return season(file, as_json=args.json)
        tournament = file.tournament(args.name)
        return {"status": _status, "standings": show_standings, "games": _games, "marks": _marks}[args.action](
            tournament, args
        )


def print_json(facts: object) -> None:
    print(json.dumps(facts, indent=2))


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


def status_facts(tournament: TournamentStore) -> dict[str, Any]:
    from dataclasses import asdict

    from noughts.tournaments import TournamentError
    from noughts.tournaments.summary import slow_games, status_of

    facts: dict[str, Any] = {
        "file": str(tournament.file.path),
        "name": tournament.name,
        "game": tournament.game.name,
        "rehearsal": tournament.settings.rehearsal is not None,
        "settings": asdict(tournament.settings),
        "created": tournament.created,
        "frozen": tournament.frozen,
        "seeds": tournament.published_seeds,
    }
    try:
        status = status_of(tournament)
        facts |= {"games": status.games, "of": status.of, "finished": status.finished, "waiting": status.waiting}
        facts["old_draws"] = [draw._asdict() for draw in status.old_draws]
        facts["fewer_pools"] = [stage._asdict() for stage in status.fewer_pools]
    except TournamentError as error:
        facts |= {"games": 0, "of": 0, "finished": False, "trouble": str(error)}
    facts["running"] = not tournament.file.writes and is_locked(tournament.file.path)
    facts["checks"] = tournament.checks()
    facts["entries"] = [
        {"name": entry.name, "version": entry.version, "staff": entry.staff, "plays": entry.plays}
        | {"removed": entry.removed, "reason": entry.reason}
        for entry in tournament.entries.all()
    ]
    faults = (game for game in tournament.game_rows(replays=False) if game["fault"] is not None)
    facts["faults"] = [
        {"game": game["number"], "name": game["second" if game["faulty"] else "first"], "fault": game["fault"]}
        for game in faults
    ]
    facts["machines"] = tournament.machines()
    slow = slow_games(tournament)
    facts["slow"] = None if slow is None else asdict(slow)
    return facts


def title(tournament: TournamentStore) -> list[str]:
    settings = tournament.settings
    name = "" if tournament.file.names() == [tournament.name] else f", {tournament.name!r}"
    return [
        f"{tournament.file.path}{name}: {settings.format} of {tournament.game.rules.title}, "
        f"{settings.seconds:g} s for a move",
        *notice_lines(tournament),
    ]


def notice_lines(tournament: TournamentStore) -> list[str]:
    """Returns the notice of a rehearsal, in lines; none for a tournament that counts."""
    notice = tournament.settings.notice
    return [paragraph(notice, width())] if notice else []


def games_line(facts: Mapping[str, Any]) -> str:
    if facts["frozen"]:
        over = f"frozen since {facts['frozen'][:10]}; its seed is {', then '.join(facts['seeds'])}"
        return f"{facts['games']} of {facts['of']} games: {over}"
    played, of = facts["checks"]
    if facts["running"] and of:
        return f"a run is checking the new bots: {played} of {of} games of the check are played"
    if "trouble" in facts:
        return str(facts["trouble"])
    waiting = f", {facts['waiting']} bots wait for their check" if facts["waiting"] else ""
    over = "finished" if facts["finished"] else f"`noughts tournament run --file {shell_quote(facts['file'])}` goes on"
    if facts["running"] and not facts["finished"]:
        over = "a run is playing them"
    return f"{facts['games']} of {facts['of']} games{waiting}: {over}"


def _entries_table(tournament: TournamentStore) -> str:
    from noughts.commands.output import table

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


def draw_remarks(facts: Mapping[str, Any]) -> Iterable[str]:
    """What should be known of the draws: fewer pools than asked for, and stages drawn before results changed."""
    for stage in facts.get("fewer_pools", ()):
        yield (
            f"{stage['contestants']} contestants make {counted(stage['pools'], 'pool')} of the {stage['stage']} stage, "
            f"not {stage['asked']}: a pool needs {stage['go_on'] + 1} or more, since {stage['go_on']} go on."
        )
    for draw in facts.get("old_draws", ()):
        out = f"{', '.join(draw['out'])} would now be in it and stays out" if draw["out"] else ""
        inside = f"{', '.join(draw['inside'])} would not and stays in" if draw["inside"] else ""
        yield (
            f"The {draw['stage']} was drawn before results changed: {'; '.join(filter(None, [out, inside]))}. "
            f"`noughts tournament redraw {shell_quote(facts['file'])} {draw['stage']}` draws it again."
        )


def slow_remarks(tournament: TournamentStore, slow: Mapping[str, Any] | None) -> Iterable[str]:
    if slow is None:
        return
    yield (
        f"{slow['games']} games were played on a machine slower than usual by more than 15%; the slowest "
        f"({slow['machine']}) had {slow['worst']:.0%} of the usual speed"
    )
    if slow["lost"]:
        yield (
            f"{len(slow['lost'])} of them were lost on time: "
            f"`noughts tournament rerun {shell_quote(tournament.file.path)} --slow` lets them be played again"
        )


# Games.


def _games(tournament: TournamentStore, args: argparse.Namespace) -> int:
    from noughts.tournaments.visibility import PUBLIC

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
    from noughts.commands.output import table

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
    from noughts.tournaments.store import record_of

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
    from noughts.commands.output import write_file
    from noughts.course.lms import read_extra
    from noughts.course.roster import read_roster
    from noughts.tournaments.marks import by_student, merged, to_csv
    from noughts.tournaments.summary import marks_of, standings_of
    from noughts.tournaments.thresholds import read_thresholds

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
    from noughts.commands.output import table

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
    from noughts.commands.output import write_file
    from noughts.course.lms import fill_in
    from noughts.course.roster import Roster

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
    from dataclasses import asdict

    who = {} if student is None else {"student": student.name, "id": student.id, "email": student.email}
    return {
        "name": mark.name,
        **who,
        "place": place,
        "marks": mark.marks,
        "out_of": mark.out_of,
        "parts": [asdict(part) for part in mark.parts],
    }
