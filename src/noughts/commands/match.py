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
the same get openings by default. --sprt ELO0,ELO1 stops as soon as it is clear
if the first is stronger by ELO1 points, or by ELO0 only.

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
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from threading import Thread

from noughts import sandbox, web
from noughts.analysis import evaluator_for, review
from noughts.commands._bot_options import add_limits, limits_from
from noughts.commands._match_report import match_facts, match_text
from noughts.commands._options import GAME_HELP, add_json, whole_number
from noughts.commands.output import Report, note, print_report, width, write_file
from noughts.commands.serve import addresses
from noughts.files import describe_os_error
from noughts.library import game_from_command_line
from noughts.matches.match import MatchResult, new_match, open_match, play_into
from noughts.matches.pool import Moved, play_in_processes
from noughts.matches.record import GameRecord
from noughts.matches.runner import Run, match_conditions, require_able
from noughts.matches.schedule import Match
from noughts.matches.statistics import Sprt
from noughts.matches.store import Store
from noughts.matches.store_file import StoreError
from noughts.printable import counted, one_line
from noughts.progress import progress
from noughts.report import match_page

MOST_REVIEWED = 200
"""Games of a match that the engine goes over for a page: two minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", nargs=2, metavar="PLAYER", help="FILE.py, FILE.py:NAME, or one of `noughts players`")
    parser.add_argument("--game", required=True, help=GAME_HELP)
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
    parser.add_argument("--seed", type=int, help="the same seed gives the same games (default: random; printed)")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time, at most one for each core (1)")
    parser.add_argument(
        "--log", metavar="DIR", help="keep each game there, as a replay and as text, and go on from there"
    )
    parser.add_argument("--watch", action="store_true", help="show the games in the browser while they are played")
    parser.add_argument("--html", metavar="FILE", help="write the match there as a web page, with its mistakes")
    add_json(parser)


def run(args: argparse.Namespace) -> Report | int:
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
    code, notes = 0, []
    with store:
        if kept := len(match.games_that_count(store)):
            note(f"{kept} of {match.games} games are in {one_line(args.log)} already")
        try:
            _play(match, store, args.watch)
        except (OSError, sandbox.SandboxError, StoreError) as error:  # what was played counts, whatever happened then
            if not store.records():
                raise
            why = describe_os_error(error) if isinstance(error, OSError) else str(error)
            code = 2
            notes = [f"stopped after {counted(len(store.records()), 'game')} of {match.games}: {one_line(why, 4000)}"]
        except KeyboardInterrupt:
            again = "; the same command goes on from here" if args.log else ""
            note(f"stopped after {len(store.records())} of {match.games} games{again}", interrupted=True)
            code = 130
        result = MatchResult(match, match.games_that_count(store))
    if args.html is not None and result.records:
        _write_page(args.html, match, result.records)
    report = Report(match_facts(result), match_text(result, args.log), code, notes)
    if args.watch and code == 0:
        print_report(report, as_json=args.json)
        _wait_for_ctrl_c()
        return 0
    return report


def _write_page(path: str, match: Match, records: list[GameRecord]) -> None:
    """The match as a page; the engine goes over its first games."""
    reviews, evaluator = {}, evaluator_for(match.game)
    with progress("evaluating games") as tick:
        for number, record in enumerate(records[:MOST_REVIEWED]):
            reviews[number] = review(record, evaluator=evaluator)
            tick((number + 1) / min(len(records), MOST_REVIEWED))
    write_file(path, match_page(records, match.effective_limits.move_seconds, reviews))
    note(f"written to {one_line(path)}")


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
        play_into(match, store, server=server, games=_play_on_page(match, store, _start_page(match)) if watch else None)


def say_layers(server: sandbox.ForkServer, unsafe: bool) -> sandbox.ForkServer:
    """Say on standard error which layers hold around the bots of this server, if one is missing."""
    layers = sandbox.probe(server, unsafe=unsafe)
    if not layers.is_complete:
        text = f"sandbox: {sandbox.layers_in_words(layers)}; `noughts doctor` has more"
        print(textwrap.fill(text, width()), file=sys.stderr)
    return server


# In the browser: the page is served beside the match, by a thread of this process.


def _play_on_page(match: Match, store: Store, source: web.MatchSource) -> Iterator[GameRecord]:
    """Plays the games of a match, and shows each move on the page."""

    def moved(move: Moved) -> None:
        source.moved(move.number, move.players, move.moves)

    conditions = match_conditions(match)
    require_able(conditions)
    for record in Run(match, store, conditions).play(executor=partial(play_in_processes, jobs=match.jobs, watch=moved)):
        source.ended(record)
        yield record


def _start_page(match: Match) -> web.MatchSource:
    """Starts the page, prints its address, and returns what takes moves and games."""
    try:
        source, serve = web.MatchSource(match.game, match.player_names, match.games), web.serve
    except ImportError as error:
        raise ValueError(str(error)) from None
    settings = web.Settings(port=0, spare=True)

    def ready(port: int) -> None:
        print(addresses(settings, port, "/watch"), file=sys.stderr, flush=True)

    Thread(target=serve, args=(settings, ready, source), daemon=True).start()
    return source


def _wait_for_ctrl_c() -> None:
    print("\nThe page stays until Ctrl-C.", file=sys.stderr, flush=True)
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
