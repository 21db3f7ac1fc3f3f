"""What is asked of a tournament file: status, standings, games, marks. Nothing here changes the file."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.commands.output import counted

if TYPE_CHECKING:
    from noughts.tournaments.marks import Mark
    from noughts.tournaments.store import Tournament, TournamentFile
    from noughts.tournaments.summary import Standings

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
    "games": """Every game: who, when, how it ended.

--json tells all that is kept of each: players, seed, moves, winner, points,
fault, seconds of every move. --all adds those that do not count: of earlier
versions, of the check, and those that were played again.

examples:
  noughts tournament games class.noughts --bot team7
  noughts tournament games class.noughts --json > games.json
""",
    "marks": """Marks of the teams.

The course's 50 (30 for the group stage, 10 for the semi-final, 10 for the
final, in proportion to the best of the pool); for other formats 50 in
proportion to the best; or with --thresholds by results against staff bots.

examples:
  noughts tournament marks class.noughts
  noughts tournament marks class.noughts --thresholds marks.toml
  noughts tournament marks class.noughts --csv marks.csv
""",
}
FAULTS_SHOWN = 10
NAME_SHOWN, LEAST_NAME = 30, 10
"""Characters of a name in the table, and if that is too wide for the terminal; JSON and CSV have all of them."""


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
    if action == "marks":
        add("--thresholds", metavar="FILE.toml", help="marks by results against staff bots")
        add("--csv", metavar="FILE", help="write them there, too")
    add("--json", action="store_true", help="machine-readable output")


def add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a tournament file")
    parser.add_argument("--name", help="of the tournament, if the file holds several (the latest)")


def run(args: argparse.Namespace) -> int:
    from noughts.tournaments.store import TournamentFile

    with TournamentFile(args.file) as file:
        if args.action == "standings" and args.season:
            return _season(file, as_json=args.json)
        tournament = file.tournament(args.name)
        return {"status": _status, "standings": _standings, "games": _games, "marks": _marks}[args.action](
            tournament, args
        )


def print_json(facts: object) -> None:
    print(json.dumps(facts, indent=2))


# Status.


def _status(tournament: Tournament, args: argparse.Namespace) -> int:
    facts = status_facts(tournament)
    if args.json:
        print_json(facts)
        return 0
    print("\n".join(_title(tournament)))
    print(f"{_games_line(facts)}\n")
    print(_entries_table(tournament))
    for line in _remarks(tournament, facts):
        print(f"\n{textwrap.fill(line, _width())}")
    return 0


def status_facts(tournament: Tournament) -> dict[str, Any]:
    from dataclasses import asdict

    from noughts.tournaments.schema import TournamentError
    from noughts.tournaments.summary import slow_games, status_of

    facts: dict[str, Any] = {
        "file": str(tournament.file.path),
        "name": tournament.name,
        "game": tournament.game.name,
        "settings": asdict(tournament.settings),
        "seed": f"0x{tournament.secret}",
        "created": tournament.created,
    }
    try:
        status = status_of(tournament)
        facts |= {"games": status.games, "of": status.of, "finished": status.finished, "waiting": status.waiting}
    except TournamentError as error:
        facts |= {"games": 0, "of": 0, "finished": False, "trouble": str(error)}
    facts["entries"] = [
        {"name": entry.name, "version": entry.version, "staff": entry.staff, "plays": entry.plays}
        | {"removed": entry.removed, "reason": entry.reason}
        for entry in tournament.entries.all()
    ]
    faults = (game for game in tournament.told_games(replays=False) if game["fault"] is not None)
    facts["faults"] = [
        {"game": game["number"], "name": game["second" if game["faulty"] else "first"], "fault": game["fault"]}
        for game in faults
    ]
    facts["machines"] = tournament.machines()
    slow = slow_games(tournament)
    facts["slow"] = None if slow is None else asdict(slow)
    return facts


def _title(tournament: Tournament) -> list[str]:
    settings = tournament.settings
    name = "" if tournament.file.names() == [tournament.name] else f", {tournament.name!r}"
    return [
        f"{tournament.file.path}{name}: {settings.format} of {tournament.game.rules.title}, "
        f"{settings.seconds:g} s for a move"
    ]


def _games_line(facts: Mapping[str, Any]) -> str:
    if "trouble" in facts:
        return str(facts["trouble"])
    waiting = f", {facts['waiting']} bots wait for their check" if facts["waiting"] else ""
    over = "finished" if facts["finished"] else f"`noughts tournament run --file {facts['file']}` goes on"
    return f"{facts['games']} of {facts['of']} games{waiting}: {over}"


def _entries_table(tournament: Tournament) -> str:
    from noughts.commands.output import table

    rows = []
    for entry in tournament.entries.all():
        state = "removed" if entry.removed else "plays" if entry.plays else "waits" if entry.candidate_id else "is out"
        if entry.staff:
            state += ", staff"
        rows.append([entry.name, str(entry.version or ""), state, entry.reason])
    return table(["name", "version", "", "why"], rows) if rows else "nobody has entered"


def _remarks(tournament: Tournament, facts: Mapping[str, Any]) -> Iterable[str]:
    """What somebody should look at."""
    for fault in facts["faults"][-FAULTS_SHOWN:]:
        yield f"game {fault['game']}, {fault['name']}: {fault['fault']}"
    if len(facts["faults"]) > FAULTS_SHOWN:
        yield f"... and {len(facts['faults']) - FAULTS_SHOWN} faults before these (`games --json` has them all)"
    yield from slow_remarks(tournament, facts["slow"])


def slow_remarks(tournament: Tournament, slow: Mapping[str, Any] | None) -> Iterable[str]:
    if slow is None:
        return
    yield (
        f"{slow['games']} games were played on a machine slower than usual by more than 15%; the slowest "
        f"({slow['machine']}) had {slow['worst']:.0%} of the usual speed"
    )
    if slow["lost"]:
        yield (
            f"{len(slow['lost'])} of them were lost on time: `noughts tournament rerun {tournament.file.path} --slow` "
            "lets them be played again"
        )


# Standings.


def _standings(tournament: Tournament, args: argparse.Namespace) -> int:
    from noughts.commands.output import table
    from noughts.tournaments.summary import standings_of

    if args.top < 1:
        raise ValueError(f"--top is 1 or more, not {args.top}")
    found = standings_of(tournament)
    if args.json:
        print_json(standings_facts(tournament, args.top))
    elif args.pools:
        for (stage, pool), rows in found.stages.items():
            cells = [[str(row.place), row.name, str(row.games), str(row.points), str(row.won)] for row in rows]
            print(f"{stage}, pool {pool}\n{table(['', 'name', 'games', 'points', 'won'], cells, right=(0, 2, 3, 4))}\n")
    else:
        print("\n".join(_title(tournament)), end="\n\n")
        print(standings_table(tournament, found, args.top))
    return 0


def standings_facts(tournament: Tournament, top: int = 3) -> dict[str, Any]:
    from dataclasses import asdict

    from noughts.tournaments.summary import standings_of

    found = standings_of(tournament)
    return {
        "name": tournament.name,
        "game": tournament.game.name,
        "format": tournament.settings.format,
        "games": len(found.results) + len(found.extra),
        "standings": found.facts(tournament, top),
        "first_move_elo": asdict(found.ratings.first_move),
        "pools": [
            {"stage": stage, "pool": pool, "table": [asdict(row) for row in rows]}
            for (stage, pool), rows in found.stages.items()
        ],
    }


def standings_table(tournament: Tournament, found: Standings, top: int = 3) -> str:
    facts = found.facts(tournament, top)
    text = _order_table(facts, top, NAME_SHOWN)
    over = max(map(len, text.splitlines())) - _width()
    if over > 0:
        longest = max(len(_short(row["name"], NAME_SHOWN)) for row in facts)
        text = _order_table(facts, top, max(LEAST_NAME, longest - over))
    lines = ["* staff"] if any(row["staff"] for row in facts) else []
    components = len({row["component"] for row in facts})
    if components > 1:
        lines.append(
            f"The contestants fall into {components} groups that have not met each other; "
            "ratings compare only within a group."
        )
    if found.extra:
        settings = tournament.settings
        first = "the first place is" if settings.places == 1 else f"the first {settings.places} places are"
        lines.append(
            f"By rating: with {counted(len(found.extra), 'game')} more, {first} "
            f"{found.certainty.sure(settings.places):.0%} sure (asked for: {settings.sure or 0:.0%})."
        )
    return "\n\n".join([text, *(textwrap.fill(line, _width()) for line in lines)])


def _order_table(facts: Sequence[Mapping[str, Any]], top: int, longest_name: int) -> str:
    """Everybody in order. Faults have a column if there are any, rates if not all have played as many games."""
    from noughts.commands.output import table

    columns: list[tuple[str, Callable[[Mapping[str, Any]], str]]] = [
        ("", lambda row: str(row["place"])),
        ("name", lambda row: _short(row["name"], longest_name) + ("*" if row["staff"] else "")),
        ("games", lambda row: str(row["games"])),
        ("+", lambda row: str(row["won"])),
        ("=", lambda row: str(row["drawn"])),
        ("-", lambda row: str(row["lost"])),
        ("points", lambda row: str(row["points"])),
    ]
    if len({row["games"] for row in facts}) > 1:
        columns.append(("a game", lambda row: f"{row['points_per_game']:.2f}"))
    if any(row["faults"] for row in facts):
        columns.append(("faults", lambda row: str(row["faults"] or "")))
    columns += [
        ("Elo, 95%", lambda row: f"{row['elo']:.0f} ±{(row['elo_high'] - row['elo_low']) / 2:.0f}"),
        (f"top {top}", lambda row: "" if row[f"top_{top}"] is None else f"{row[f'top_{top}']:.0%}"),
    ]
    rows = [[tell(row) for _, tell in columns] for row in facts]
    return table([head for head, _ in columns], rows, right=[0, *range(2, len(columns))])


def outcome(tournament: Tournament, played: int, checks: int) -> str:
    """What a run says at its end. played: games of this run; checks: those of the gate."""
    from noughts.tournaments.summary import standings_of

    facts = status_facts(tournament)
    file = tournament.file.path
    done = f"{counted(played, 'game')} played" if played or checks else "nothing was left to play"
    check = f", besides {counted(checks, 'game')} to check new bots" if checks else ""
    lines = [*textwrap.wrap(f"{done}{check}. {_games_line(facts)}", _width()), ""]
    out = [entry for entry in tournament.entries.all() if entry.reason and not entry.removed]
    lines += [textwrap.fill(f"{entry.name} {_fate(entry.plays)}: {entry.reason}", _width()) for entry in out]
    if out:
        lines.append("")
    lines.append(standings_table(tournament, standings_of(tournament)))
    lines += ["", *(textwrap.fill(line, _width()) for line in slow_remarks(tournament, facts["slow"]))]
    lines += [
        f"Everything is in {file}.",
        f"Its seed is 0x{tournament.secret}.",
        f"  noughts tournament standings {file} --pools",
        f"  noughts tournament games {file}",
        f"  noughts tournament marks {file}",
        f"  noughts tournament export {file} results/",
    ]
    return "\n".join(lines)


def _fate(plays: bool) -> str:
    return "plays, though its latest file does not pass" if plays else "is out"


def _season(file: TournamentFile, *, as_json: bool) -> int:
    """Each contestant's place, points for each game and rating, tournament by tournament."""
    from noughts.commands.output import table
    from noughts.tournaments.summary import standings_of

    seasons: dict[str, dict[str, dict[str, Any]]] = {}
    names = file.names()
    for name in names:
        tournament = file.tournament(name)
        for row in standings_of(tournament).facts(tournament):
            seasons.setdefault(row["name"], {})[name] = row
    if as_json:
        print_json(seasons)
        return 0
    rows = []
    for team, told in sorted(seasons.items()):
        cells = [
            f"{told[name]['place']}. {told[name]['points_per_game']:.1f} {told[name]['elo']:+.0f}"
            if name in told
            else "-"
            for name in names
        ]
        rows.append([team, *cells])
    print("place, points a game and Elo in each tournament\n")
    print(table(["name", *names], rows))
    return 0


# Games.


def _games(tournament: Tournament, args: argparse.Namespace) -> int:
    if args.bot is not None:
        tournament.entries.find(args.bot)
    games = tournament.told_games(name=args.bot, everything=args.all, replays=args.json)
    if args.json:
        comma = "["
        for game in games:
            print(f"{comma}\n{json.dumps(game_facts(game))}", end="")
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
        for game in games
    ]
    print(table(["game", "pool/round", "players", "points", "end"], rows, right=(0,)))
    return 0


def game_facts(game: Mapping[str, Any]) -> dict[str, Any]:
    """One game as plain data: its columns, and moves, seconds and fault from the replay."""
    replay = json.loads(game["replay"])
    fault = replay["result"]["fault"]
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
        "moves": replay["moves"],
        "seconds": replay["seconds"],
        "winner": game["winner"],
        "reason": game["reason"],
        "points": [game["first_points"], game["second_points"]],
        "fault": None if fault is None else {key: fault[key] for key in ("player", "kind", "text", "line")},
        "finished": game["finished"],
        "machine": game["machine"],
        "speed": game["speed"],
    }


# Marks.


def _marks(tournament: Tournament, args: argparse.Namespace) -> int:
    from noughts.commands.output import table, write_file
    from noughts.tournaments.marks import to_csv
    from noughts.tournaments.summary import marks_of
    from noughts.tournaments.thresholds import read_thresholds

    thresholds = None if args.thresholds is None else read_thresholds(args.thresholds)
    marks = marks_of(tournament, thresholds)
    if args.csv is not None:
        write_file(args.csv, to_csv(marks))
    if args.json:
        print_json([mark_facts(mark) for mark in marks])
    else:
        parts = [part.name for part in marks[0].parts] if marks else []
        rows = [[mark.name, f"{mark.marks:.2f}", *(f"{part.marks:.2f}" for part in mark.parts)] for mark in marks]
        print(table(["team", "marks", *parts], rows, right=range(1, len(parts) + 2)))
        if marks:
            print(f"\nout of {marks[0].out_of:g}")
        if args.csv is not None:
            print(f"written to {Path(args.csv)}", file=sys.stderr)
    return 0


def mark_facts(mark: Mark) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "name": mark.name,
        "marks": mark.marks,
        "out_of": mark.out_of,
        "parts": [asdict(part) for part in mark.parts],
    }


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


def _width() -> int:
    from noughts.commands.output import width

    return width()
