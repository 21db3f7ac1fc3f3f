"""Solve a small game: the winner, the best openings, the number of positions.

It works for every game, including your own, that is not nested and has few
enough positions. Solutions that take long are kept on disk and reused.

examples:
  noughts solve wild
  noughts solve numerical
  noughts solve numerical --fresh      ignore a stored solution
  noughts solve my_games.py:MINE --json
"""

from __future__ import annotations

import argparse
import time

from noughts import solving
from noughts.analysis import Evaluation, Evaluator
from noughts.commands._evaluations import labels, legend, moves_data, reply_errors
from noughts.commands._options import GAME_HELP, add_ascii, add_json
from noughts.commands.output import Report, board, table
from noughts.game import State
from noughts.library import game_from_command_line
from noughts.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help=GAME_HELP)
    parser.add_argument("--fresh", action="store_true", help="solve again, even if a solution is stored")
    add_ascii(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    game = game_from_command_line(args.game)
    started = time.perf_counter()
    with progress(f"solving {game.name}") as tick:
        solution = solving.solve(game, tick=tick, fresh=args.fresh)
    seconds = time.perf_counter() - started
    start = game.new_initial_state()
    moves = Evaluator(game, solution=solution).evaluate_moves(start, lines=args.json)
    return Report(_facts(solution, start, moves, seconds), _text(solution, start, moves, seconds, args.ascii))


def _facts(solution: solving.Solution, start: State, moves: dict[int, Evaluation], seconds: float) -> dict[str, object]:
    counts = solution.counts
    return {
        "game": solution.game.name,
        "value": solution.value(start),
        "distance": solution.distance(start),
        "positions": {
            "total": counts.total,
            "different": counts.different,
            "not_over": counts.not_over,
            "won": list(counts.won),
            "drawn": counts.drawn,
        },
        "openings": moves_data(start, moves, reply_errors(solution.rated_moves(start))),
        "from_disk": solution.from_disk,
        "seconds": round(seconds, 4),
    }


def _text(
    solution: solving.Solution, start: State, moves: dict[int, Evaluation], seconds: float, ascii_only: bool
) -> str:
    counts = solution.counts
    openings: dict[str, list[str]] = {}
    for action, found in moves.items():
        openings.setdefault(found.words, []).append(start.action_to_string(action))
    kinds = [
        ["not over", f"{counts.not_over:,}"],
        ["won by the first player", f"{counts.won[0]:,}"],
        ["won by the second player", f"{counts.won[1]:,}"],
        ["drawn", f"{counts.drawn:,}"],
        ["all", f"{counts.total:,}"],
        ["all, up to symmetry", f"{counts.different:,}"],
    ]
    how = "Read from disk" if solution.from_disk else "Solved"
    parts = [
        f"{solution.game.rules.title}: {_verdict(solution, start)}",
        board(start, ascii_only=ascii_only, labels=labels(start, moves)),
        legend(start, moves),
        table(["result", "openings"], [[result, "  ".join(texts)] for result, texts in openings.items()]),
        table(["positions", ""], kinds, right=[1]),
        f"{how} in {seconds:.2f} s.",
    ]
    return "\n\n".join(parts)


def _verdict(solution: solving.Solution, start: State) -> str:
    value, distance = solution.value(start), solution.distance(start)
    if value == 0:
        return "a draw with best play."
    who = "the first player" if value > 0 else "the second player"
    return f"{who} wins with best play, in {distance} moves."
