"""`noughts tournament run`: a new tournament, or one to go on with, played until nothing is due."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from noughts.commands._bot_options import (
    add_executor,
    add_limits,
    add_name_rule,
    local_executor,
    ray_executor,
    require_limits,
)
from noughts.commands._options import GAME_HELP, require_range
from noughts.commands.match import say_layers
from noughts.commands.output import note, print_report
from noughts.commands.tournament._standings import failed_bots, run_report
from noughts.commands.tournament._view import View
from noughts.course.rules import gate_of, submission_rules
from noughts.course.submissions import submissions, sync_folder
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.pool import Moved, Watch
from noughts.matches.runner import Executor
from noughts.matches.seeds import SEED_BITS, checked_seed
from noughts.players.bot import default_limits
from noughts.printable import counted, shell_quote
from noughts.sandbox import ForkServer
from noughts.tournaments import StoreError
from noughts.tournaments.ladder import LADDER, enter_final_versions
from noughts.tournaments.live import LiveGames
from noughts.tournaments.organiser import Changes, enter_players, run_of
from noughts.tournaments.settings import MAY_CHANGE, MOST_GAMES, MOST_ROUNDS, Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

HELP = {
    "run": """Play a tournament, or go on with one.

BOTS is a folder with a file NAME.py for each team, or a folder NAME with one
file of Python in it, or an export of an LMS (`noughts collect --help`). Every
bot passes the gate first, which is what `noughts check` runs: its file keeps
the submission rules, loads, and plays itself, random and greedy without a
fault. Bots that fail are excluded, with the reason. With --admit playing, only
those are that fail in a game; --admit all lets every bot play, and forfeit the
games that it fails in.

--rehearsal SECONDS plays the same tournament in a fraction of its time: the
clocks that bots see run fast, so that one that thinks until its time is up
takes SECONDS for a move, also if its limit is written in its file. The results
are marked as a rehearsal wherever they are shown, and there are no marks for an
LMS. A bot that fails only with fast clocks passes `noughts check`.

Formats: league (everybody meets everybody, from both seats), course (pools
drawn by lot, semi-finals, a final), gauntlet (everybody against the staff),
swiss. --staff adds players who get no marks: bot files, or built-in ones.

To go on with a tournament, name its file: the file keeps the options, and most
of them cannot be changed.

Without BOTS, --name NEW in the file of a ladder plays the versions of the
ladder's teams, once it is frozen or its deadline has passed. Game and limits
are the ladder's unless others are given.

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
OF_LADDER = ("seconds", "load_seconds", "memory", "strict", "name_rule", "admit")
"""Settings of a ladder that a tournament of its versions has, too."""
GAUNTLET_STAFF = ("random", "greedy", "alphabeta:level=3")


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("bots", nargs="?", metavar="BOTS", help="a folder of bot files")
    add("--game", help=GAME_HELP)
    add("--file", help="the tournament file (default: the folder's name, with .noughts)")
    add("--name", help="name of the tournament, for several in one file (default: main)")
    add("--format", help="league, course, gauntlet or swiss (default: league)")
    add("--rounds", type=int, help="how often each pair meets; for swiss, the number of rounds")
    add("--group-pools", type=int, metavar="N", help="course: pools of the first stage (10)")
    add("--group-top", type=int, metavar="N", help="course: how many of each pool go on (3)")
    add("--semi-pools", type=int, metavar="N", help="course: semi-final pools (3)")
    add("--semi-top", type=int, metavar="N", help="course: how many of each semi-final pool go on (3)")
    add("--staff", nargs="+", action="extend", default=[], metavar="PLAYER", help="players that get no marks")
    add(
        "--admit",
        help="passing: bots that pass the gate (default); playing: even against submission rules; all: every bot",
    )
    add_name_rule(parser)
    add("--until-sure", metavar="SHARE", help="play on until the first places are this certain, as 90%%")
    add("--places", type=int, metavar="N", help="--until-sure is for the first N places (3)")
    add("--budget", type=int, metavar="N", help="--until-sure plays N games at most (1000)")
    add("--rehearsal", type=float, metavar="SECONDS", help="fast clocks: SECONDS instead of --time for a move")
    add_limits(parser)
    add("--seed", help="reproduce a tournament (default: random, secret until `freeze`)")
    add("--jobs", type=int, metavar="N", help="games at a time (default and maximum: one for each core)")
    add_executor(parser)
    add("--watch", action="store_true", help="print the moves as they are made")
    add("--page", action="store_true", help="let `noughts serve --file` show the moves as they are made")
    add("--json", action="store_true", help="print the standings at the end as JSON")
    parser.set_defaults(strict=None, name_rule=None)  # to tell what was given from what the file keeps


def run(args: argparse.Namespace) -> int:
    path = _path(args)
    if not path.exists():
        _require_enough(args)  # before a file is made
    place = _executor(args)
    with TournamentFile(path, write=True) as file:
        tournament = _open(file, args)
        staff = list(args.staff)
        if tournament.settings.format == "gauntlet" and not staff and not tournament.entries.all():
            staff = list(GAUNTLET_STAFF)
        enter_players(tournament, staff, staff=True)
        if args.bots is not None:
            _print_changes(sync_folder(tournament, args.bots))
        return play(
            tournament, place, trusted=staff, unsafe=args.unsafe, watch=args.watch, page=args.page, as_json=args.json
        )


def play(
    tournament: TournamentStore,
    place: Callable[[Watch | None], Executor],
    *,
    trusted: Sequence[str] = (),
    unsafe: bool = False,
    watch: bool = False,
    page: bool = False,
    as_json: bool = False,
) -> int:
    """Plays the games that are due, shows them, and prints the outcome."""
    has_bots = any(contestant.is_bot for contestant in tournament.entries.contestants().values())
    with ForkServer() if has_bots else nullcontext() as server:
        if server is not None:
            say_layers(server, unsafe)
        run = run_of(tournament, gate_of(tournament, unsafe=unsafe), trusted=trusted, server=server)
    stopped = False
    with View(tournament) as view, LiveGames(tournament) as live:
        watchers = [each for each, wanted in ((view.moved, watch), (live.moved, page)) if wanted]

        def tell(moved: Moved) -> None:
            for each in watchers:
                each(moved)

        try:
            for record in run.play(executor=place(tell if watchers else None)):
                live.ended(record.number)
                view.ended(record)
        except KeyboardInterrupt:
            stopped = True
        except StoreError:  # such as too few bots that pass
            print(*failed_bots(tournament), sep="\n", file=sys.stderr)
            raise
    again = f"`noughts tournament run --file {shell_quote(tournament.file.path)}`"
    if stopped:
        note(f"stopped; nothing is lost, and {again} goes on", interrupted=True)
        return 130
    if run.unanswered:
        note(f"{run.unanswered} games had no answer ({run.failure}); {again} plays them")
    print_report(run_report(tournament, view.played, view.checks), as_json=as_json)
    return 1 if run.unanswered else 0


def _executor(args: argparse.Namespace) -> Callable[[Watch | None], Executor]:
    """Returns where games are played, for somebody who watches the moves or for nobody."""
    ray = ray_executor(args)
    if ray is None:
        return local_executor(args.jobs)
    if args.watch or args.jobs is not None:
        raise ValueError("--watch and --jobs are for games on this machine; leave them out with --executor ray")
    return ray


def _game(args: argparse.Namespace) -> Game:
    if args.game is None:
        raise ValueError("say with --game which game a new tournament is of; `noughts games` lists them")
    return game_from_command_line(args.game)


def _settings(args: argparse.Namespace, game: Game) -> Settings:
    return Settings(**{"seconds": default_limits(game).move_seconds, **_given_settings(args)})


def _given_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given, by the names of their fields."""
    if args.format == LADDER:
        raise ValueError("a ladder is made by `noughts ladder create`, and played by `noughts serve`")
    require_limits(args)
    require_range("--rounds", args.rounds, 1, MOST_ROUNDS)
    require_range("--budget", args.budget, 1, MOST_GAMES)
    submission_rules(args.name_rule)  # refuses a name rule that is none
    settings = {
        "seconds": args.time,
        "load_seconds": args.load_time,
        "memory": None if args.memory is None else args.memory << 20,
        "rehearsal": args.rehearsal,
        "sure": None if args.until_sure is None else _share(args.until_sure),
    }
    names = "format rounds group_pools group_top semi_pools semi_top strict admit name_rule places budget".split()
    settings |= {name: getattr(args, name) for name in names}
    return {name: value for name, value in settings.items() if value is not None}


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ValueError(f"--until-sure is a share, as in 90%, not {text!r}") from None


def _seed(args: argparse.Namespace) -> int | None:
    if args.seed is None:
        return None

    try:
        return checked_seed(int(args.seed, 0))
    except ValueError:
        raise ValueError(
            f"--seed is a whole number of up to {SEED_BITS} bits, as in 7 or 0x1f, not {args.seed!r}"
        ) from None


def _path(args: argparse.Namespace) -> Path:
    if args.file is not None:
        if not args.file:
            raise ValueError("the name of the tournament file is empty")
        return Path(args.file)
    if args.bots is None:
        raise ValueError("name a folder of bots, or with --file the tournament to go on with")
    return Path(f"{Path(args.bots).resolve().name}.noughts")


def _require_enough(args: argparse.Namespace) -> None:
    teams = 0
    if args.bots is not None:
        teams = len(submissions(args.bots))
    elif not args.staff:
        raise ValueError(
            f"there is no tournament file {args.file!r} to go on with; name a folder of bots for a new one"
        )
    _game(args)
    _settings(args, _game(args)).require_playable(teams, len(args.staff))
    _seed(args)


def _open(file: TournamentFile, args: argparse.Namespace) -> TournamentStore:
    """The tournament to go on with, if what was said fits it; or a new one."""
    names = file.names()
    name = args.name or (names[-1] if names else FIRST_NAME)
    if name not in names:
        if args.bots is None and (ladder := _ladder_in(file)) is not None:
            return _final(file, name, ladder, args)
        game = _game(args)
        return file.create(name, game, _settings(args, game), _seed(args))
    tournament = file.tournament(name)
    elsewhere = "; name another tournament with --name, or another file with --file"
    if args.game is not None and _game(args) != tournament.game:
        raise ValueError(
            f"{name!r} in {file.path} is a tournament of {tournament.game.name}, not {args.game}{elsewhere}"
        )
    if tournament.settings.format == LADDER:
        raise ValueError(
            f"{name!r} in {file.path} is a ladder: `noughts serve --file {shell_quote(file.path)}` plays it. "
            "With --name a tournament of its own is played into the file"
        )
    tournament.require_unfrozen()
    seed = _seed(args)
    if seed is not None and not tournament.began_with(seed):
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
        among = [entry.staff for entry in tournament.entries.all() if not entry.removed]
        replace(tournament.settings, **changes).require_playable(among.count(False), among.count(True))
        tournament.change_settings(**changes)
    return tournament


def _ladder_in(file: TournamentFile) -> TournamentStore | None:
    tournaments = map(file.tournament, file.names())
    return next((one for one in tournaments if one.settings.format == LADDER), None)


def _final(file: TournamentFile, name: str, ladder: TournamentStore, args: argparse.Namespace) -> TournamentStore:
    """Returns a new tournament of the versions that play on a ladder; nothing is made if they may still change."""
    game = ladder.game if args.game is None else _game(args)
    kept = {each: getattr(ladder.settings, each) for each in OF_LADDER}
    with file.change():
        tournament = file.create(name, game, Settings(**{**kept, **_given_settings(args)}), _seed(args))
        teams = enter_final_versions(tournament, ladder)
    note(f"{name}: the versions of {counted(len(teams), 'team')} on the ladder")
    return tournament


def _print_changes(changes: Changes) -> None:
    for names, text in (
        (changes.changed, "changed: a new version, whose games are played again"),
        (changes.missing, "no longer in the folder: its last version plays on (`remove` takes it out)"),
        (changes.taken, "is out: a player of the staff is called so; rename the file"),
        (changes.removed, "was removed, and stays out (`add` lets it in again)"),
    ):
        for name in names:
            print(f"{name}: {text}", file=sys.stderr)
