"""Play a match between two players, each a bot file or a built-in player. They
take turns at moving first; with --first coin, a coin decides before each game.

Bot files run in a sandbox that allows computing and nothing else, and are
paused while the opponent thinks. A fault (a timeout, a crash, an invalid move,
a forbidden call) forfeits the game. Points decide a game without a line. The
time limit is not enforced for built-in players: the terminal and --json show
thinking times and late moves; piped text leaves them out.

With --openings, the players play each random opening from both sides, so that
luck matters less; deterministic players get openings by default. --sprt
ELO0,ELO1 is a sequential test: the match stops when the first player's
advantage is shown to be ELO1 (H1) or ELO0 (H0).

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
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Thread

from noughts import sandbox, web
from noughts.analysis import evaluator_for, review
from noughts.commands._bot_options import add_limits, limits_from, say_layers
from noughts.commands._match_report import match_facts, match_text
from noughts.commands._options import GAME_HELP, add_json, whole_number
from noughts.commands.output import Report, note, print_report, write_file
from noughts.commands.serve import addresses
from noughts.files import describe_os_error
from noughts.library import game_from_command_line
from noughts.matches.match import MatchResult, new_match, open_match, play_into
from noughts.matches.record import GameRecord
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
from noughts.matches.statistics import Sprt
from noughts.matches.store import Store
from noughts.matches.store_file import StoreError
from noughts.printable import counted, one_line
from noughts.progress import progress
from noughts.report import match_page
from noughts.tournaments.visibility import BOTH_PLAYERS

MOST_REVIEWED = 200
"""Maximum games of a match that the engine reviews for a page: two minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", nargs=2, metavar="PLAYER", help="FILE.py, FILE.py:NAME, or one of `noughts players`")
    parser.add_argument("--game", required=True, help=GAME_HELP)
    add_json(parser)
    add = parser.add_argument_group("games").add_argument
    add("--games", type=whole_number, help="number of games (default: 2; with --sprt, at most 1000)")
    add("--first", choices=("turns", "coin"), default="turns", help="who moves first (default: turns)")
    add("--seed", type=int, help="seed of the games (default: random; printed)")
    add("--jobs", type=int, default=1, help="games at a time, at most one for each core (default: 1)")
    add = parser.add_argument_group("openings").add_argument
    add(
        "--openings",
        type=int,
        metavar="MOVES",
        help="random moves at the start of each pair (default: 0; more if a player is deterministic)",
    )
    add(
        "--openings-file",
        metavar="FILE",
        help="file with an opening in each line, as moves or a position; `balanced` for 500 built-in ones",
    )
    add = parser.add_argument_group("sequential test").add_argument
    add("--sprt", metavar="ELO0,ELO1", help="Elo differences of H0 and H1; stop when one is accepted")
    add("--normalized", action="store_true", help="use normalized Elo for --sprt, as in fastchess")
    add_limits(parser)
    add = parser.add_argument_group("output").add_argument
    add("--log", metavar="DIR", help="folder to save each game in, as replay and text; continues from there")
    add("--watch", action="store_true", help="show the games in the browser while they are played")
    add("--html", metavar="FILE", help="web page to write, with the games and their mistakes")


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
            note(f"{one_line(args.log)} already contains {kept} of {match.games} games")
        try:
            _play(match, store, args.watch)
        except (OSError, sandbox.SandboxError, StoreError) as error:
            # Games that were played count, whatever happened afterwards.
            if not store.records():
                raise
            why = describe_os_error(error) if isinstance(error, OSError) else str(error)
            code = 2
            notes = [f"stopped after {counted(len(store.records()), 'game')} of {match.games}: {one_line(why, 4000)}"]
        except KeyboardInterrupt:
            again = "; run the same command to continue" if args.log else ""
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
    """Writes the match as a page; the engine reviews its first games."""
    reviews, evaluator = {}, evaluator_for(match.game)
    with progress("reviewing games") as tick:
        for number, record in enumerate(records[:MOST_REVIEWED]):
            reviews[number] = review(record, evaluator=evaluator)
            tick((number + 1) / min(len(records), MOST_REVIEWED))
    write_file(path, match_page(records, match.effective_limits.move_seconds, reviews))
    note(f"wrote {one_line(path)}, {BOTH_PLAYERS}")


def _opening(args: argparse.Namespace) -> int | str | None:
    """Returns the number of random moves, or the file of openings."""
    if args.openings is not None and args.openings_file is not None:
        raise ValueError("pass either --openings for random openings or --openings-file for those of a file")
    found: int | str | None = args.openings if args.openings_file is None else args.openings_file
    return found


def _sprt(text: str | None, normalized: bool = False) -> Sprt | None:
    if text is None:
        if normalized:
            raise ValueError("--normalized changes --sprt; pass both")
        return None
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--sprt takes two Elo differences, as in 0,50, not {one_line(text)!r}") from None
    return Sprt(elo0, elo1, normalized=normalized)


def _play(match: Match, store: Store, watch: bool = False) -> None:
    """Plays the games into the store, with a progress bar that shows the score. watch: show them in the browser too."""
    with ExitStack() as closing:
        server = closing.enter_context(sandbox.ForkServer()) if match.has_bots else None
        if server is not None:
            say_layers(server, match.unsafe)
        play_into(match, store, server=server, games=_play_on_page(match, store, _start_page(match)) if watch else None)


# Watching in the browser: a thread of this process serves the page.


def _play_on_page(match: Match, store: Store, source: web.MatchSource) -> Iterator[GameRecord]:
    """Plays the games of a match and shows each move on the page."""
    for record in match_games(match, store, watch=source.moved):
        source.ended(record)
        yield record


def _start_page(match: Match) -> web.MatchSource:
    """Starts the page, prints its address, and returns the object that receives moves and games."""
    source, serve = web.MatchSource(match.game, match.player_names, match.games), web.serve
    settings = web.Settings(port=0, spare=True)

    def ready(port: int) -> None:
        print(addresses(settings, port, "/watch"), file=sys.stderr, flush=True)

    Thread(target=serve, args=(settings, ready, source), daemon=True).start()
    return source


def _wait_for_ctrl_c() -> None:
    print("\nThe page stays open until Ctrl-C.", file=sys.stderr, flush=True)
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
