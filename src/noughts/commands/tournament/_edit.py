"""Commands that change a tournament file or export from it: add, remove, rerun, redraw, export, freeze, unfreeze."""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts.commands._bot_options import add_late, add_tournament
from noughts.commands._options import add_json
from noughts.commands.output import Report
from noughts.commands.tournament._status import games_line, run_command, status_facts
from noughts.course.export import export
from noughts.course.marks import read_late
from noughts.course.thresholds import read_thresholds
from noughts.printable import shell_quote
from noughts.progress import progress
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView

HELP = {
    "add": """Add contestants: bot files, or built-in players.

The next run checks them and plays their games. Adding a bot again makes a new
version; adding a removed bot readmits it.

examples:
  noughts tournament add class.noughts late/team9.py
  noughts tournament add class.noughts alphabeta:level=3 --staff
""",
    "remove": """Remove contestants.

Their games are kept but no longer count.

examples:
  noughts tournament remove class.noughts team9
""",
    "rerun": """Mark games to be played again by the next run.

The old games are kept but no longer count.

examples:
  noughts tournament rerun class.noughts --slow
  noughts tournament rerun class.noughts --game 17 18
  noughts tournament rerun class.noughts --bot team9
""",
    "redraw": """Draw the pools of a stage, and of all later stages, again.

Pools stay as drawn when a new version changes earlier results, even if other
contestants would now qualify; run, status and marks report this. After redraw,
the next run draws from the current results. Games between contestants who meet
again in the same pool are kept. STAGE is group, semi-final or final, or the
number of a Swiss round.

examples:
  noughts tournament redraw class.noughts semi-final
""",
    "export": """Write files to hand out.

Tables and marks as CSV, Gradescope's results.json for each team, and a zip for
each team with its games (logs and replays), its own prints, and its faults
with the line. --all-logs adds logs/ with every game, for all teams: moves,
times and results, without prints and fault texts.

examples:
  noughts tournament export class.noughts results/
  noughts tournament export class.noughts results/ --thresholds marks.toml
  noughts tournament export class.noughts results/ --late 0.9
  noughts tournament export class.noughts results/ --all-logs
""",
    "freeze": """End all changes to a tournament, and publish its seeds.

Afterwards, run, add, remove and rerun refuse to change the tournament; others
in the same file continue. games, export and the teams' zips then contain the
seeds: `run --seed SEED` with the same bots and settings plays the same
tournament again.

examples:
  noughts tournament freeze class.noughts
  noughts tournament freeze class.noughts --name "week 2"
""",
    "unfreeze": """Allow changes to a frozen tournament again.

Further games get seeds from a new secret, since the old seeds are public.
Finished games stay.

examples:
  noughts tournament unfreeze class.noughts
""",
}
EXPORT_FOLDER = "results"


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    add = parser.add_argument
    if action == "add":
        add("players", nargs="+", metavar="PLAYER", help="bot files or built-in players")
        add("--staff", action="store_true", help="contestants that get no marks")
    if action == "remove":
        add("names", nargs="+", metavar="NAME", help="names of contestants")
    if action == "rerun":
        add("--slow", action="store_true", help="games lost on time on a slow machine")
        add("--game", type=int, nargs="+", default=[], metavar="N", help="numbers of games")
        add("--bot", metavar="NAME", help="all games of these contestants, with their checks")
    if action == "redraw":
        add("stage", metavar="STAGE", help="stage to draw again")
    if action == "export":
        add("folder", nargs="?", default=EXPORT_FOLDER, metavar="DIR", help="folder to write to (default: results/)")
        add("--thresholds", metavar="FILE.toml", help="file with thresholds for the marks, instead of proportions")
        add_late(parser)
        add("--all-logs", action="store_true", help="also write every game, as all teams may see it")
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if args.action == "export":
        with TournamentFile(args.file) as file:
            return _export(TournamentView(file.tournament(args.name)), args)
    with TournamentFile(args.file, write=True, create=False) as file:
        return CHANGES[args.action](file.tournament(args.name), args)


def _add(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    added = enter_players(tournament, args.players, staff=args.staff)
    if not added:
        return Report({"added": []}, "nothing to do: all are in the tournament and unchanged")
    return Report({"added": added}, f"added {', '.join(added)}; {run_command(tournament.file.path)} plays their games")


def _remove(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    for name in args.names:
        tournament.entries.find(name)
    for name in args.names:
        tournament.entries.remove(name)
    return Report({"removed": args.names}, f"removed {', '.join(args.names)}; their games no longer count")


def _rerun(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    numbers: set[int] = set()
    if not (args.slow or args.game or args.bot):
        raise ValueError("pass --slow, --game N or --bot NAME to choose the games")
    view = TournamentView(tournament)
    known = {game["number"]: (game["first"], game["second"]) for game in view.games}
    for number in args.game:
        if number not in known:
            raise ValueError(
                f"game {number} does not exist or does not count; `noughts tournament games {shell_quote(args.file)}` "
                "lists them"
            )
        numbers.add(number)
    if args.bot is not None:
        tournament.entries.check_again(args.bot)
        numbers |= {number for number, players in known.items() if args.bot in players}
    if args.slow:
        numbers |= set() if view.slow_games is None else set(view.slow_games.lost)
    voided = tournament.void(sorted(numbers), "to be played again")
    return Report(
        {"games": sorted(numbers)},
        f"games to be played again: {voided}; {run_command(tournament.file.path)} plays them",
    )


def _redraw(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    stages = tournament.redraw(args.stage)
    return Report(
        {"stages": stages},
        f"to be drawn again: {', '.join(stages)}; {run_command(tournament.file.path)} draws and plays",
    )


def _export(view: TournamentView, args: argparse.Namespace) -> Report:
    thresholds = None if args.thresholds is None else read_thresholds(args.thresholds)
    late_factor = read_late(args.late)
    with progress("writing the teams' files") as tick:
        written = export(
            view, Path(args.folder), thresholds, all_logs=args.all_logs, late_factor=late_factor, tick=tick
        )
    logs = ", and logs/, which is for everyone" if args.all_logs else ""
    audience = f"for staff only, except teams/ and gradescope/, whose files are for the team in their name{logs}"
    return Report(
        {"written": list(map(str, written))}, "\n".join(f"Wrote {path}" for path in written), notes=[audience]
    )


def _freeze(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    tournament.freeze()
    facts = status_facts(TournamentView(tournament))
    return Report({key: facts[key] for key in ("name", "frozen", "seeds", "games", "of")}, games_line(facts))


def _unfreeze(tournament: TournamentStore, args: argparse.Namespace) -> Report:
    facts = {"name": tournament.name, "frozen": None}
    if not tournament.is_frozen:
        return Report(facts, f"{tournament.name!r} is not frozen")
    tournament.unfreeze()
    return Report(facts, f"{tournament.name!r} can change again; {run_command(tournament.file.path)} continues it")


CHANGES = {
    "add": _add,
    "remove": _remove,
    "rerun": _rerun,
    "redraw": _redraw,
    "freeze": _freeze,
    "unfreeze": _unfreeze,
}
