"""`noughts tournament run`: a new tournament, or one to go on with, played until nothing is due."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from noughts.commands.match import say_layers
from noughts.commands.output import UNSAFE_HELP, print_json
from noughts.commands.tournament import _standings
from noughts.commands.tournament._options import game_of, place_of, seed_of, settings_given, settings_of
from noughts.commands.tournament._view import View
from noughts.matches.pool import Moved, Watch
from noughts.matches.runner import Executor
from noughts.printable import shell_quote
from noughts.sandbox import ForkServer
from noughts.tournaments import StoreError
from noughts.tournaments.ladder import LADDER
from noughts.tournaments.live import LiveGames
from noughts.tournaments.organiser import Changes, enter_players, run_of, sync_folder
from noughts.tournaments.settings import MAY_CHANGE
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.submissions import submissions

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
LMS. A bot that fails only by fast clocks passes `noughts check`.

Formats: league (everybody meets everybody, from both seats), course (pools
drawn by lot, semi-finals, a final), gauntlet (everybody against the staff),
swiss. --staff adds players who get no marks: bot files, or built-in ones.

To go on with a tournament, name its file: the file keeps the options, and most
of them cannot be changed.

examples:
  noughts tournament run BOTS/ --game extreme --format course
  noughts tournament run BOTS/ --game extreme --format course --rehearsal 0.25
  noughts tournament run BOTS/ --game wild --rounds 10 --time 1 --jobs 4
  noughts tournament run BOTS/ --game xtreme --format gauntlet --staff random
  noughts tournament run BOTS/ --game ultimate --until-sure 90% --places 1
  noughts tournament run BOTS/ --file class.noughts --name "week 2"
  noughts tournament run --file class.noughts
"""
}
FIRST_NAME = "main"
GAUNTLET_STAFF = ("random", "greedy", "alphabeta:level=3")


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("bots", nargs="?", metavar="BOTS", help="a folder of bot files")
    add("--game", help="a game of `noughts games`, or FILE.py:RECORD")
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
    add("--name-rule", metavar="RULE", help='refuse other names, as "team{number}.py:Team{number}"')
    add("--until-sure", metavar="SHARE", help="play on until the first places are this certain, as 90%%")
    add("--places", type=int, metavar="N", help="--until-sure is for the first N places (3)")
    add("--budget", type=int, metavar="N", help="--until-sure plays N games at most (1000)")
    add("--time", type=float, metavar="SECONDS", help="for a move (default: the game's usual limit, else 10)")
    add("--rehearsal", type=float, metavar="SECONDS", help="fast clocks: SECONDS instead of --time for a move")
    add("--load-time", type=float, metavar="SECONDS", help="to load a bot (default: 10)")
    add("--memory", type=int, metavar="MB", help="for a bot (default: 512)")
    add("--strict", action="store_true", default=None, help="refuse numpy integers, as the course does")
    add("--unsafe", action="store_true", help=UNSAFE_HELP)
    add("--seed", help="reproduce a tournament (default: random, secret until `freeze`)")
    add("--jobs", type=int, metavar="N", help="games at a time (default and maximum: one for each core)")
    add("--executor", default="local", help="local, or ray for a cluster (local)")
    add("--address", help="of the Ray cluster")
    add("--watch", action="store_true", help="print the moves as they are made")
    add("--page", action="store_true", help="let `noughts serve --file` show the moves as they are made")
    add("--json", action="store_true", help="print the standings at the end as JSON")


def run(args: argparse.Namespace) -> int:
    path = _path(args)
    if not path.exists():
        _require_enough(args)  # before a file is made
    place = place_of(args)
    with TournamentFile(path, write=True) as file:
        tournament = _opened(file, args)
        staff = list(args.staff)
        if tournament.settings.format == "gauntlet" and not staff and not tournament.entries.all():
            staff = list(GAUNTLET_STAFF)
        enter_players(tournament, staff, staff=True)
        if args.bots is not None:
            _tell_changes(sync_folder(tournament, args.bots))
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
    _say_layers(tournament, unsafe=unsafe)
    run = run_of(tournament, trusted=trusted, unsafe=unsafe)
    stopped = False
    with View(tournament) as view, LiveGames(tournament) as live:
        told = [each for each, wanted in ((view.moved, watch), (live.moved, page)) if wanted]

        def tell(moved: Moved) -> None:
            for each in told:
                each(moved)

        try:
            for record in run.play(executor=place(tell if told else None)):
                live.ended(record.number)
                view.ended(record)
        except KeyboardInterrupt:
            stopped = True
        except StoreError:  # such as too few bots that pass
            print(*_standings.failed_bots(tournament), sep="\n", file=sys.stderr)
            raise
    again = f"`noughts tournament run --file {shell_quote(tournament.file.path)}`"
    if stopped:
        print(f"\nnoughts: stopped; nothing is lost, and {again} goes on", file=sys.stderr)
        return 130
    if run.unanswered:
        print(f"noughts: {run.unanswered} games had no answer ({run.trouble}); {again} plays them", file=sys.stderr)
    if as_json:
        print_json(_standings.standings_facts(tournament))
    else:
        print(_standings.outcome(tournament, view.played, view.checks))
    return 1 if run.unanswered else 0


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
    game_of(args)
    settings_of(args, game_of(args)).require_playable(teams, len(args.staff))
    seed_of(args)


def _opened(file: TournamentFile, args: argparse.Namespace) -> TournamentStore:
    """The tournament to go on with, if what was said fits it; or a new one."""
    names = file.names()
    name = args.name or (names[-1] if names else FIRST_NAME)
    if name not in names:
        game = game_of(args)
        return file.create(name, game, settings_of(args, game), seed_of(args))
    tournament = file.tournament(name)
    elsewhere = "; name another tournament with --name, or another file with --file"
    if args.game is not None and game_of(args) != tournament.game:
        raise ValueError(
            f"{name!r} in {file.path} is a tournament of {tournament.game.name}, not {args.game}{elsewhere}"
        )
    if tournament.settings.format == LADDER:
        raise ValueError(
            f"{name!r} in {file.path} is a ladder: `noughts serve --file {shell_quote(file.path)}` plays it. "
            "With --name a tournament of its own is played into the file"
        )
    tournament.require_unfrozen()
    seed = seed_of(args)
    if seed is not None and not tournament.began_with(seed):
        raise ValueError(f"{name!r} in {file.path} has another seed{elsewhere}")

    changes = {}
    for option, wanted in settings_given(args).items():
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


def _say_layers(tournament: TournamentStore, *, unsafe: bool) -> None:
    if any(contestant.is_bot for contestant in tournament.entries.contestants().values()):
        with ForkServer() as server:
            say_layers(server, unsafe)


def _tell_changes(changes: Changes) -> None:
    for names, text in (
        (changes.changed, "changed: a new version, whose games are played again"),
        (changes.missing, "no longer in the folder: its last version plays on (`remove` takes it out)"),
        (changes.taken, "is out: a player of the staff is called so; rename the file"),
        (changes.removed, "was removed, and stays out (`add` lets it in again)"),
    ):
        for name in names:
            print(f"{name}: {text}", file=sys.stderr)
