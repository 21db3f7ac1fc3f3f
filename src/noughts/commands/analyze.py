"""Judge every legal move of a position exactly, best first.

The winner hurries and the loser delays. Among equal moves, first is the one
after which most replies are errors: the one to play against someone who may
err. A position is one line, as `noughts show` prints it.

examples:
  noughts analyze classic
  noughts analyze classic "X../.O./..X p1"
  noughts analyze numerical "5../..6/... p0"
  noughts analyze wild ".../.X./... p1" --json
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.solving import RatedMove, Solution


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("position", nargs="?", metavar="POSITION", help="the start, if none is given")
    parser.add_argument("--ascii", action="store_true", help="draw with plain characters")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    from noughts.commands.output import progress
    from noughts.library import load_game
    from noughts.solving import solve

    game = load_game(args.game)
    state = game.from_string(args.position) if args.position else game.new_initial_state()
    with progress(f"solving {game.name}") as tick:
        solution = solve(game, tick=tick)
    moves = solution.rated_moves(state)
    if args.json:
        print(json.dumps(_record(solution, state, moves), indent=2))
    else:
        print(_report(solution, state, moves, args.ascii))
    return 0


def _record(solution: Solution, state: State, moves: list[RatedMove]) -> dict[str, object]:
    from noughts.commands.verdicts import as_records

    end = state.outcome()
    return {
        "game": state.game.name,
        "position": state.to_string(),
        "player": None if end else state.current_player(),
        "outcome": end and {"reason": end.reason, "winner": end.winner},
        "value": None if end else solution.value(state),
        "distance": solution.distance(state),
        "moves": as_records(state, moves),
    }


def _report(solution: Solution, state: State, moves: list[RatedMove], ascii_only: bool) -> str:
    from noughts.commands.output import board, table
    from noughts.commands.verdicts import labels, legend, player_name, words

    drawing = board(state, ascii_only=ascii_only, labels=labels(state, moves))
    if not moves:
        return f"{drawing}\n\nThe game is over: there is nothing to judge."
    rows = [
        [state.action_to_string(move.action), words(move.value, move.distance), f"{move.errors:.0%}"] for move in moves
    ]
    verdict = words(solution.value(state), solution.distance(state))
    name = player_name(state, state.current_player())
    parts = [
        f"{name[0].upper()}{name[1:]} {verdict} with best play.",
        drawing,
        legend(state, moves),
        table(["move", "result", "replies that err"], rows, right=[0, 2]),
    ]
    return "\n\n".join(parts)
