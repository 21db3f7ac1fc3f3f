"""Evaluate the moves of a position, best first, or review a whole game.

In small games every move is evaluated exactly; a fast win and a slow loss rank
higher. Among equal moves, the one that leaves most chances to err comes first.
Write a position as `noughts show` prints it, in one line.

Nested games are too large to solve: a search shows the best lines that it
finds until its time is up or you press Ctrl-C. Results are expected results
for the player to move: 1 is a win, -1 a loss.

Given the file of a game, it lists the costly moves, like `noughts replay
--grade`.

examples:
  noughts analyze classic
  noughts analyze classic "X../.O./..X p1"
  noughts analyze wild ".../.X./... p1" --json
  noughts analyze extreme --time 10
  noughts analyze ultimate --multi-pv 5 --depth 12
  noughts analyze game.json                  the costly moves of a saved game
"""

from __future__ import annotations

import argparse
import threading
import time
from dataclasses import replace

from noughts import search
from noughts.analysis import Evaluation, evaluator_for
from noughts.analysis.evaluator import evaluations_of
from noughts.commands._evaluations import as_data, labels, legend, line_text, moves_data, reply_errors
from noughts.commands._live import redrawn, stacked
from noughts.commands._options import add_ascii, add_json, whole_number
from noughts.commands.output import Report, board, table
from noughts.commands.replay import open_replay
from noughts.draw import player_name
from noughts.game import State
from noughts.library import game_from_command_line
from noughts.printable import capitalized
from noughts.progress import progress

MOST_SECONDS = 10**9
SECONDS = 5.0
"""Length of a search that nothing else limits, in seconds."""
REFRESHES = 10
"""Table refreshes per second."""
OVER = "The game is over: there is nothing to evaluate."
UNKNOWN: dict[str, object] = {"value": None, "exact": None, "distance": None, "at_most": False, "line": []}
"""The evaluation of a position in which the game is over."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="game of `noughts games`, FILE.py:RECORD, or file of a saved game")
    parser.add_argument(
        "position", nargs="?", metavar="POSITION", help="one line as `noughts show` prints it (default: the start)"
    )
    parser.add_argument(
        "--time",
        type=float,
        metavar="SECONDS",
        help="time to search a nested game (default: 5 without --depth and --nodes)",
    )
    parser.add_argument("--depth", type=int, metavar="N", help="maximum depth of the search")
    parser.add_argument("--nodes", type=whole_number, metavar="N", help="maximum nodes of the search")
    parser.add_argument("--multi-pv", type=int, default=3, metavar="N", help="number of lines to show (default: 3)")
    add_ascii(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    if _is_saved_game(args.game):
        if args.position or args.time is not None or args.depth is not None:
            raise ValueError("a saved game is reviewed as a whole; leave out POSITION, --time and --depth")
        return open_replay(args.game).graded(args.nodes)
    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position else game.new_initial_state()
    with progress(f"solving {game.name}") as tick:
        evaluator = evaluator_for(game, tick=tick)
    if evaluator.solution is not None:
        moves, errors = evaluator.evaluate_moves(state), reply_errors(evaluator.solution.rated_moves(state))
        return Report(_facts(state, moves, errors), _solved_text(state, moves, errors, args.ascii))
    if args.multi_pv < 1:
        raise ValueError(f"--multi-pv must be 1 or more, not {args.multi_pv}")
    if args.time is not None and not 0 <= args.time <= MOST_SECONDS:
        raise ValueError(f"--time must be 0 to {MOST_SECONDS:,} seconds, not {args.time:g}")
    seconds = SECONDS if args.time is None and args.depth is None and args.nodes is None else args.time
    limits = search.Limits(seconds, args.nodes, args.depth)
    drawing = board(state, ascii_only=args.ascii)
    if state.is_terminal():
        return Report(_facts(state, {}), f"{drawing}\n\n{OVER}")
    info = search_watched(search.Engine(game), state, limits, args.multi_pv)
    data = _facts(state, evaluations_of(state, info), info=info)
    return Report(data, "\n\n".join([drawing, _variations(state, info), _effort(info)]))


def _facts(
    state: State,
    moves: dict[int, Evaluation],
    errors: dict[int, float] | None = None,
    info: search.SearchInfo | None = None,
) -> dict[str, object]:
    """Returns a position and its moves for scripts.

    errors: for each move, the share of replies that give value away. info: the search, if there was one.
    """
    end = state.outcome()
    return {
        "game": state.game.name,
        "position": state.to_string(),
        "player": None if end else state.current_player(),
        "outcome": end and {"reason": end.reason, "winner": end.winner},
        **(as_data(state, next(iter(moves.values()))) if moves else UNKNOWN),
        **({} if info is None else _effort_data(info)),
        "moves": moves_data(state, moves, errors),
    }


def _solved_text(state: State, moves: dict[int, Evaluation], errors: dict[int, float], ascii_only: bool) -> str:
    drawing = board(state, ascii_only=ascii_only, labels=labels(state, moves))
    if not moves:
        return f"{drawing}\n\n{OVER}"
    rows = [[state.action_to_string(action), found.words, f"{errors[action]:.0%}"] for action, found in moves.items()]
    verdict = next(iter(moves.values())).words
    parts = [
        f"{capitalized(player_name(state.game.rules, state.current_player()))} {verdict} with best play.",
        drawing,
        legend(state, moves),
        table(["move", "result", "replies that err"], rows, right=[0, 2]),
    ]
    return "\n\n".join(parts)


def _is_saved_game(text: str) -> bool:
    return text.lower().endswith((".json", ".log", ".jsonl")) or any(
        mark in text.lower() for mark in (".log#", ".jsonl#")
    )


# Searches: a live table, the final variations, and the effort for scripts.


def search_watched(engine: search.Engine, state: State, limits: search.Limits, multi_pv: int) -> search.SearchInfo:
    """Searches in a thread and returns the result. Shows progress on a terminal.

    Ctrl-C ends the search and keeps what it found so far.
    """
    latest: list[search.SearchInfo] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            started = time.monotonic()
            info = engine.search(state, limits, multi_pv=multi_pv, on_info=latest.append)
            # the lines come from the last finished depth; the effort covers the whole search
            latest.append(replace(info, nodes=engine.nodes, seconds=time.monotonic() - started))
        except BaseException as error:  # the waiting thread shows it
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        with redrawn(lambda: stacked(_effort(latest[-1]), _variations(state, latest[-1])) if latest else "", REFRESHES):
            while thread.is_alive():
                thread.join(1 / REFRESHES)
    except KeyboardInterrupt:
        engine.stop()
        thread.join()
    if failed:
        raise failed[0]
    return latest[-1]


def _variations(state: State, info: search.SearchInfo) -> str:
    rows = [
        [state.action_to_string(action), found.words, line_text(state, found)]
        for action, found in evaluations_of(state, info).items()
    ]
    return table(["move", "result", "best play"], rows, right=[0, 1])


def _effort(info: search.SearchInfo) -> str:
    speed = info.nodes / max(info.seconds, 1e-9) / 1e6
    deepest = f", some lines to {info.seldepth}" if info.seldepth > info.depth else ""
    depth = "to the end" if info.exact else f"depth {info.depth}{deepest}"
    return f"{depth}; {info.nodes:,} nodes in {info.seconds:.1f} s, {speed:.1f} million a second"


def _effort_data(info: search.SearchInfo) -> dict[str, object]:
    return {
        "depth": info.depth,
        "deepest": info.seldepth,
        "nodes": info.nodes,
        "seconds": round(info.seconds, 4),
        "nodes_per_second": round(info.nodes / max(info.seconds, 1e-9)),
    }
