"""`noughts tournament run`: plays a new tournament, or continues one, until no games are left."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from noughts.commands._bot_options import (
    add_executor,
    add_limits,
    add_name_rule,
    bot_settings,
    local_executor,
    ray_executor,
    say_layers,
)
from noughts.commands._options import GAME_HELP, require_range
from noughts.commands.output import note, print_report
from noughts.commands.tournament._standings import failed_bots, run_report
from noughts.commands.tournament._status import run_command
from noughts.commands.tournament._view import RunView
from noughts.course.rules import gate_of, submission_rules
from noughts.course.submissions import Submission, submissions_of_new, sync_folder
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.runner import Executor, Moved
from noughts.matches.seeds import SEED_BITS, checked_seed
from noughts.printable import counted, shell_quote
from noughts.sandbox import ForkServer
from noughts.tournaments import StoreError
from noughts.tournaments.ladder import enter_final_versions, find_ladder
from noughts.tournaments.live import LiveGames
from noughts.tournaments.organiser import Changes, enter_players, run_of
from noughts.tournaments.settings import FORMATS, MAY_CHANGE, MOST_GAMES, MOST_ROUNDS, Settings
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView

HELP = {
    "run": """Play a tournament, or continue one.

BOTS is a folder with, for each team, a file NAME.py or a folder NAME with one
Python file, or an LMS export (`noughts collect --help`). Every bot must first
pass the gate, which runs `noughts check`: the file follows the submission
rules, loads, and plays itself, random and greedy without a fault. Bots that
fail are excluded, with the reason. --admit playing accepts bots that only
break submission rules; --admit all skips the gate, and faulty bots then
forfeit their games.

--rehearsal SECONDS plays the tournament in a fraction of the time: the bots'
clocks run fast, so a bot that uses all its time takes SECONDS for a move.
Results are labelled as a rehearsal everywhere, and `marks` writes none for an
LMS. A bot that fails only with fast clocks passes `noughts check`.

Formats: league (each pair meets, from both seats), course (pools drawn by lot,
semi-finals, a final), gauntlet (each team against the staff players), swiss.
--staff adds players that get no marks: bot files or built-in players.

To continue a tournament, pass its file, which keeps the options; most of them
cannot be changed.

To play a final after a ladder, pass the ladder's file and a new --name,
without BOTS, once the ladder is frozen or its deadline has passed. The teams'
versions play, with the ladder's game and limits unless you pass others.

examples:
  noughts tournament run BOTS/ --game extreme --format course
  noughts tournament run BOTS/ --game extreme --format course --rehearsal 0.25
  noughts tournament run BOTS/ --game wild --rounds 10 --time 1 --jobs 4
  noughts tournament run BOTS/ --game xtreme --format gauntlet --staff random
  noughts tournament run BOTS/ --game ultimate --until-sure 90% --places 1
  noughts tournament run BOTS/ --file class.noughts --name "week 2"
  noughts tournament run --file class.noughts
  noughts tournament run --file class.noughts --name final --format course
"""
}
FIRST_NAME = "main"


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("bots", nargs="?", metavar="BOTS", help="folder or LMS export of bots")
    add("--game", help=GAME_HELP)
    add("--file", help="tournament file (default: the folder's name, with .noughts)")
    add("--name", help="name of the tournament, for several in one file (default: main)")
    add("--seed", help="seed of a tournament to reproduce (default: random, secret until `freeze`)")
    add("--json", action="store_true", help="print the final standings as JSON")
    add = parser.add_argument_group("format").add_argument
    add("--format", help="league, course, gauntlet or swiss (default: league)")
    add("--rounds", type=int, help="times each pair meets (default: 1); for swiss, the number of rounds")
    add("--group-pools", type=int, metavar="N", help="course: pools of the first stage (default: 10)")
    add("--group-top", type=int, metavar="N", help="course: contestants of each pool that qualify (default: 3)")
    add("--semi-pools", type=int, metavar="N", help="course: semi-final pools (default: 3)")
    add(
        "--semi-top",
        type=int,
        metavar="N",
        help="course: contestants of each semi-final pool that qualify (default: 3)",
    )
    add("--until-sure", metavar="SHARE", help="play on until the first places are this certain, as 90%%")
    add("--places", type=int, metavar="N", help="number of places for --until-sure (default: 3)")
    add("--budget", type=int, metavar="N", help="maximum games for --until-sure (default: 1000)")
    add = parser.add_argument_group("contestants").add_argument
    add("--staff", nargs="+", action="extend", default=[], metavar="PLAYER", help="players that get no marks")
    add(
        "--admit",
        help="passing: bots that pass the gate; playing: even if they break submission rules; all: every bot "
        "(default: passing)",
    )
    add_name_rule(parser)
    add_limits(parser)
    add = parser.add_argument_group("speed and display").add_argument
    add("--rehearsal", type=float, metavar="SECONDS", help="real time for a move, with fast clocks (default: off)")
    add("--jobs", type=int, metavar="N", help="games at a time (default and maximum: one for each core)")
    add("--watch", action="store_true", help="print the moves as they are made")
    add("--page", action="store_true", help="let `noughts serve --file` show the moves as they are made")
    add_executor(parser)
    parser.set_defaults(strict=None, name_rule=None)  # to tell given options from those that the file keeps


def run(args: argparse.Namespace) -> int:
    path = _path(args)
    teams = None if path.exists() else _new_teams(path, args)  # before a file is created
    executor = _executor(args)
    with TournamentFile(path, write=True) as file:
        tournament = _open(file, args)
        staff = list(args.staff)
        if not staff and not tournament.entries.all():
            staff = list(tournament.kind.usual_staff)
        enter_players(tournament, staff, staff=True)
        if args.bots is not None:
            _print_changes(sync_folder(tournament, args.bots, teams))
        return play(
            tournament, executor, trusted=staff, unsafe=args.unsafe, watch=args.watch, page=args.page, as_json=args.json
        )


def play(
    tournament: TournamentStore,
    executor: Executor,
    *,
    trusted: Sequence[str] = (),
    unsafe: bool = False,
    watch: bool = False,
    page: bool = False,
    as_json: bool = False,
) -> int:
    """Plays the due games, shows them, and prints the outcome."""
    has_bots = any(contestant.is_bot for contestant in tournament.entries.contestants().values())
    stopped = False
    with ExitStack() as closing:
        server = say_layers(closing.enter_context(ForkServer()), unsafe) if has_bots else None
        run = run_of(tournament, gate_of(tournament, unsafe=unsafe), trusted=trusted, server=server)
        view, live = closing.enter_context(RunView(tournament)), closing.enter_context(LiveGames(tournament))
        watchers = [each for each, wanted in ((view.moved, watch), (live.moved, page)) if wanted]

        def report_move(moved: Moved) -> None:
            for each in watchers:
                each(moved)

        try:
            for record in run.play(server=server, executor=executor, watch=report_move if watchers else None):
                live.ended(record.number)
                view.ended(record)
        except KeyboardInterrupt:
            stopped = True
        except StoreError:  # such as too few bots that pass
            print(*failed_bots(TournamentView(tournament)), sep="\n", file=sys.stderr)
            raise
    again = run_command(tournament.file.path)
    if stopped:
        note(f"stopped; nothing is lost; {again} continues", interrupted=True)
        return 130
    if run.unanswered:
        note(f"{run.unanswered} games failed to run ({run.failure}); {again} plays them")
    print_report(run_report(tournament, view.played, view.checks), as_json=as_json)
    return 1 if run.unanswered else 0


def _executor(args: argparse.Namespace) -> Executor:
    ray = ray_executor(args)
    if ray is None:
        return local_executor(args.jobs)
    if args.watch or args.jobs is not None:
        raise ValueError("--watch and --jobs are for games on this machine; leave them out with --executor ray")
    return ray


def _game(args: argparse.Namespace) -> Game:
    if args.game is None:
        raise ValueError("a new tournament needs a game; pass --game (`noughts games` lists the games)")
    return game_from_command_line(args.game)


def _given_settings(args: argparse.Namespace, game: Game | None = None) -> dict[str, Any]:
    """Returns the given settings by the names of their fields. game: of a new tournament."""
    if args.format in FORMATS and FORMATS[args.format].endless:
        raise ValueError("ladders are created by `noughts ladder create` and played by `noughts serve`")
    require_range("--rounds", args.rounds, 1, MOST_ROUNDS)
    require_range("--budget", args.budget, 1, MOST_GAMES)
    submission_rules(args.name_rule)  # refuses an invalid name rule
    names = "format rounds group_pools group_top semi_pools semi_top admit places budget".split()
    settings = {name: getattr(args, name) for name in names}
    settings["sure"] = None if args.until_sure is None else _share(args.until_sure)
    return bot_settings(args, game) | {name: value for name, value in settings.items() if value is not None}


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ValueError(f"--until-sure must be a percentage such as 90%, not {text!r}") from None


def _seed(args: argparse.Namespace) -> int | None:
    if args.seed is None:
        return None

    try:
        return checked_seed(int(args.seed, 0))
    except ValueError:
        raise ValueError(
            f"--seed must be a whole number of up to {SEED_BITS} bits, such as 7 or 0x1f, not {args.seed!r}"
        ) from None


def _path(args: argparse.Namespace) -> Path:
    if args.file is not None:
        if not args.file:
            raise ValueError("the name of the tournament file is empty")
        return Path(args.file)
    if args.bots is None:
        raise ValueError("name a folder of bots, or pass --file to continue a tournament")
    return Path(f"{Path(args.bots).resolve().name}.noughts")


def _new_teams(path: Path, args: argparse.Namespace) -> list[Submission]:
    """Returns the submissions for a new tournament. Raises ValueError if the contestants are too few."""
    teams = [] if args.bots is None else submissions_of_new(path, args.bots)
    if args.bots is None and not args.staff:
        raise ValueError(
            f"there is no tournament file {args.file!r} to continue; name a folder of bots for a new tournament"
        )
    Settings(**_given_settings(args, _game(args))).require_playable(len(teams), len(args.staff))
    _seed(args)
    return teams


def _open(file: TournamentFile, args: argparse.Namespace) -> TournamentStore:
    """Returns the tournament to continue, if the options fit it, or a new one."""
    names = file.names()
    name = args.name or (names[-1] if names else FIRST_NAME)
    if name not in names:
        if args.bots is None and (ladder := find_ladder(file)) is not None:
            return _final(file, name, ladder, args)
        game = _game(args)
        return file.create(name, game, Settings(**_given_settings(args, game)), _seed(args))
    tournament = file.tournament(name)
    elsewhere = "; pass another --name or --file for a new tournament"
    if args.game is not None and _game(args) != tournament.game:
        raise ValueError(f"{name!r} in {file.path} plays {tournament.game.name}, not {args.game}{elsewhere}")
    if tournament.kind.endless:
        raise ValueError(
            f"{name!r} in {file.path} is a ladder, which `noughts serve --file {shell_quote(file.path)}` plays; pass "
            "--name for a tournament beside it"
        )
    tournament.require_unfrozen()
    seed = _seed(args)
    if seed is not None and not tournament.has_seed(seed):
        raise ValueError(f"{name!r} in {file.path} has another seed{elsewhere}")

    changes = {}
    for option, wanted in _given_settings(args).items():
        kept = getattr(tournament.settings, option)
        if kept == wanted:
            continue
        fewer = option == "rounds" and wanted < (kept or 1)
        if option not in MAY_CHANGE or fewer:
            words = option.replace("_", " ")
            how = f"without {words}, not with" if kept in (None, "") else f"with {words} {kept}, not"
            raise ValueError(f"{name!r} in {file.path} is played {how} {wanted}{elsewhere}")
        changes[option] = wanted
    if changes:
        replace(tournament.settings, **changes).require_playable(*tournament.entries.counts())
        tournament.change_settings(**changes)
    return tournament


def _final(file: TournamentFile, name: str, ladder: TournamentStore, args: argparse.Namespace) -> TournamentStore:
    """Returns a new tournament of a ladder's versions. Creates nothing if the versions may still change."""
    game = ladder.game if args.game is None else _game(args)
    kept = ladder.settings.of_gate
    with file.change():
        tournament = file.create(name, game, Settings(**{**kept, **_given_settings(args)}), _seed(args))
        teams = enter_final_versions(tournament, ladder)
    note(f"{name}: the versions of {counted(len(teams), 'team')} of the ladder")
    return tournament


def _print_changes(changes: Changes) -> None:
    for names, text in (
        (changes.changed, "changed: a new version, whose games are played again"),
        (changes.missing, "no longer in the folder: its last version still plays (`remove` takes it out)"),
        (changes.taken, "is excluded: a staff player has this name; rename the file"),
        (changes.removed, "was removed and stays out (`add` readmits it)"),
    ):
        for name in names:
            print(f"{name}: {text}", file=sys.stderr)
