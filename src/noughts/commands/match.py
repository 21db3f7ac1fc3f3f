"""Play a match between two players: bot files, built-in players, in any mix.
They take turns in moving first; with --first coin, a coin decides in each game.

A bot file runs in a sandbox: it can compute, and nothing else. It is stopped
while its opponent thinks. A fault (over time, a crash, an invalid move,
anything forbidden) forfeits the game. A game without a line is won by points.
Built-in players are trusted with their clock: how long moves took, and how
many were late, is shown in the terminal and by --json, and left out of piped
text.

With --openings both players get the same random opening once from each side,
so that their strength is compared and not their luck; players who always play
the same get openings unless told otherwise. --sprt ELO0,ELO1 stops as
soon as it is clear if the first is stronger by ELO1 points, or by ELO0 only.

examples:
  noughts match team7.py random --game extreme --games 10
  noughts match team7.py team9.py:Team9 --game xtreme --time 2 --log games/
  noughts match my_bot.py random --game wild --games 100 --json
  noughts match team7.py greedy --game extreme --html match.html
  noughts match alphabeta mcts --game extreme --games 40 --time 0.1 --openings 6
  noughts match alphabeta:depth=5 alphabeta:depth=4 --game xtreme --sprt 0,50
  noughts match team7.py alphabeta:level=5 --game extreme --watch
  noughts match "ugi:./engine" alphabeta --game ultimate --time 0.1
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from contextlib import ExitStack

from noughts import sandbox
from noughts.analysis import evaluator_for, review
from noughts.commands._match_report import facts, print_match
from noughts.commands._numbers import whole_number
from noughts.commands._watch import play_watched, stay, watched
from noughts.commands.output import UNSAFE_HELP, counted, print_json, progress, width, write_file
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.match import MatchResult, new_match, open_match, play_into
from noughts.matches.record import GameRecord
from noughts.matches.schedule import Match
from noughts.matches.statistics import Sprt
from noughts.matches.store import Store
from noughts.matches.store_file import StoreError
from noughts.players.bot import default_limits
from noughts.printable import one_line
from noughts.report import match_page
from noughts.rules.spec import shown

MOST_REVIEWED = 200
"""Games of a match that the engine goes over for a page: two minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", nargs=2, metavar="PLAYER", help="FILE.py, FILE.py:NAME, or one of `noughts players`")
    parser.add_argument("--game", required=True, help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("--games", type=whole_number, help="how many (2, with --sprt at most 1000)")
    parser.add_argument(
        "--openings",
        type=int,
        metavar="MOVES",
        help="random moves of each pair's opening (0; some for players who repeat)",
    )
    parser.add_argument(
        "--openings-file",
        metavar="FILE",
        help="openings to take instead, one a line: moves, or a position; `balanced` for the 500 shipped ones",
    )
    parser.add_argument(
        "--first", choices=("turns", "coin"), default="turns", help="who moves first: in turns, or a coin for each game"
    )
    parser.add_argument("--sprt", metavar="ELO0,ELO1", help="play until it is clear which")
    parser.add_argument("--normalized", action="store_true", help="--sprt is in normalized Elo, as in fastchess")
    add_limits(parser)
    parser.add_argument("--seed", type=int, help="the same seed gives the same games (drawn, and shown)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time, at most one for each core (1)")
    parser.add_argument(
        "--log", metavar="DIR", help="keep each game there, as a replay and as text, and go on from there"
    )
    parser.add_argument("--watch", action="store_true", help="show the games in the browser while they are played")
    parser.add_argument("--html", metavar="FILE", help="write the match there as a web page, with its mistakes")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time", type=float, metavar="SECONDS", help="for a move (default: the game's limit, else 10)")
    parser.add_argument("--load-time", type=float, metavar="SECONDS", help="to load a bot (default: 10)")
    parser.add_argument("--memory", type=int, metavar="MB", help="for a bot (default: 512)")
    parser.add_argument("--strict", action="store_true", help="refuse numpy integers, as the course does")
    parser.add_argument("--unsafe", action="store_true", help=UNSAFE_HELP)


def limits_from(args: argparse.Namespace, game: Game) -> sandbox.BotLimits:
    if args.time is not None and not 0 < args.time <= 3600:
        raise ValueError(f"--time is in seconds, above 0 and up to 3600, not {args.time:g}")
    if args.load_time is not None and not 0 < args.load_time <= 3600:
        raise ValueError(f"--load-time is in seconds, above 0 and up to 3600, not {args.load_time:g}")
    if args.memory is not None and not 16 <= args.memory <= 1 << 20:
        raise ValueError(f"--memory is in megabytes, 16 or more, not {shown(args.memory)}")
    memory = sandbox.MEMORY if args.memory is None else args.memory << 20
    return sandbox.BotLimits(
        args.time or default_limits(game).move_seconds, args.load_time or sandbox.LOAD_SECONDS, memory
    )


def run(args: argparse.Namespace) -> int:
    game = game_from_command_line(args.game)
    match = new_match(
        game,
        tuple(args.players),
        args.games,
        limits_from(args, game),
        args.seed,
        args.jobs,
        _opening(args),
        _sprt(args.sprt, args.normalized),
        args.first,
        strict=args.strict,
        unsafe=args.unsafe,
    )
    match, store = open_match(match, args.log, any_seed=args.seed is None)
    code, trouble = 0, None
    with store:
        if kept := len(match.counted(store)):
            print(f"noughts: {kept} of {match.games} games are in {one_line(args.log)} already", file=sys.stderr)
        try:
            _play(match, store, args.watch)
        except (OSError, sandbox.SandboxError, StoreError) as error:  # what was played counts, whatever happened then
            if not store.records():
                raise
            trouble = error
        except KeyboardInterrupt:
            again = "; the same command goes on from here" if args.log else ""
            print(f"\nnoughts: stopped after {len(store.records())} of {match.games} games{again}", file=sys.stderr)
            code = 130
        result = MatchResult(match, match.counted(store))
    records = result.records
    if args.html is not None and records:
        _write_page(args.html, match, records)
    if args.json:
        print_json(facts(result))
    else:
        print_match(result, args)
    if trouble is not None:
        sys.stdout.flush()
        print(f"noughts: stopped after {counted(len(records), 'game')} of {match.games}:", file=sys.stderr)
        raise trouble
    if args.watch and code == 0:
        stay()
    return code


def _write_page(path: str, match: Match, records: list[GameRecord]) -> None:
    """The match as a page; the engine goes over its first games."""
    reviews, evaluator = {}, evaluator_for(match.game)
    with progress("evaluating games") as tick:
        for number, record in enumerate(records[:MOST_REVIEWED]):
            reviews[number] = review(record, evaluator=evaluator)
            tick((number + 1) / min(len(records), MOST_REVIEWED))
    write_file(path, match_page(records, match.effective_limits.move_seconds, reviews))
    print(f"written to {one_line(path)}", file=sys.stderr)


def _opening(args: argparse.Namespace) -> int | str | None:
    """How many random moves, or which file."""
    if args.openings is not None and args.openings_file is not None:
        raise ValueError("--openings makes openings and --openings-file reads them; give one of the two")
    found: int | str | None = args.openings if args.openings_file is None else args.openings_file
    return found


def _sprt(text: str | None, normalized: bool = False) -> Sprt | None:
    if text is None:
        if normalized:
            raise ValueError("--normalized is for --sprt")
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--sprt takes two numbers of Elo points, as in 0,50, not {one_line(text)!r}") from None
    return Sprt(elo0, elo1, normalized=normalized)


def _play(match: Match, store: Store, watch: bool = False) -> None:
    """Plays the games into the store, with a bar that shows the score so far. watch: also in the browser."""
    with ExitStack() as closing:
        server = say_layers(closing.enter_context(sandbox.ForkServer()), match.unsafe) if match.has_bots else None
        play_into(match, store, server=server, games=play_watched(match, store, watched(match)) if watch else None)


def say_layers(server: sandbox.ForkServer, unsafe: bool) -> sandbox.ForkServer:
    """Say on standard error which layers hold around the bots of this server, if one is missing."""
    layers = sandbox.probe(server, unsafe=unsafe)
    if not layers.whole:
        said = f"sandbox: {sandbox.layers_in_words(layers)}; `noughts doctor` has more"
        print(textwrap.fill(said, width()), file=sys.stderr)
    return server
