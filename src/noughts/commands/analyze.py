"""Judge the moves of a position, best first; or those of a whole game.

In small games every move is judged exactly: the winner hurries and the loser
delays. Among equal moves, first is the one after which most replies are errors:
the one to play against someone who may err. A position is one line, as
`noughts show` prints it.

Nested games are too large for that. There a search looks ahead, deeper and
deeper until its time is up (or Ctrl-C), and shows the best lines. Results are
those expected for the player to move: 1 is a win, -1 a loss.

With the file of a game, list its costly moves, as `noughts replay --grade`
does.

examples:
  noughts analyze classic
  noughts analyze classic "X../.O./..X p1"
  noughts analyze wild ".../.X./... p1" --json
  noughts analyze extreme --time 10
  noughts analyze ultimate --multi-pv 5 --depth 12
  noughts analyze game.json                  a kept game: its costly moves
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from noughts.commands._numbers import whole_number

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.search import SearchInfo
    from noughts.solving import RatedMove, Solution

MOST_SECONDS = 10**9
SECONDS = 5.0
"""How long a search lasts if nothing else limits it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="a game of `noughts games`, FILE.py:RECORD, or the file of a kept game")
    parser.add_argument("position", nargs="?", metavar="POSITION", help="the start, if none is given")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="to search a nested game (5)")
    parser.add_argument("--depth", type=int, metavar="N", help="search no deeper")
    parser.add_argument("--nodes", type=whole_number, metavar="N", help="search no more positions")
    parser.add_argument("--multi-pv", type=int, default=3, metavar="N", help="how many lines of a search to show (3)")
    parser.add_argument("--ascii", action="store_true", help="draw with plain characters")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    from noughts.library import game_from_command_line
    from noughts.solving import TooLarge

    if _is_kept_game(args.game):
        return _grade(args)
    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position else game.new_initial_state()
    if game.rules.nested:
        return _search(args, state)
    try:
        return _solve(args, state)
    except TooLarge:
        return _search(args, state)


def _is_kept_game(text: str) -> bool:
    return text.lower().endswith((".json", ".log", ".jsonl")) or any(
        mark in text.lower() for mark in (".log#", ".jsonl#")
    )


def _grade(args: argparse.Namespace) -> int:
    """The costly moves of a kept game."""
    from noughts.commands import replay

    if args.position or args.time is not None or args.depth is not None:
        raise ValueError("a kept game is graded as a whole: only --nodes and --json go with it")
    return replay.run(
        argparse.Namespace(file=args.game, at=None, grade=True, nodes=args.nodes, json=args.json, html=None)
    )


def _search(args: argparse.Namespace, state: State) -> int:
    from noughts.commands.search_view import record, search_watched
    from noughts.rules.spec import shown
    from noughts.search import Engine, Limits

    if args.multi_pv < 1:
        raise ValueError(f"--multi-pv must be 1 or more, not {shown(args.multi_pv)}")
    if args.time is not None and not 0 <= args.time <= MOST_SECONDS:
        raise ValueError(f"--time is in seconds, 0 to {MOST_SECONDS:,}, not {args.time:g}")
    seconds = SECONDS if args.time is None and args.depth is None and args.nodes is None else args.time
    limits = Limits(seconds, args.nodes, args.depth)
    end = state.outcome()
    info = None if end else search_watched(Engine(state.game), state, limits, args.multi_pv)
    if args.json:
        found = record(info, state) if info else {"lines": []}
        print(json.dumps({**_facts(state), **found}, indent=2))
    else:
        print(_search_report(state, info, args.ascii))
    return 0


def _search_report(state: State, info: SearchInfo | None, ascii_only: bool) -> str:
    from noughts.commands.output import board
    from noughts.commands.search_view import info_text

    drawing = board(state, ascii_only=ascii_only)
    if info is None:
        return f"{drawing}\n\nThe game is over: there is nothing to judge."
    return f"{drawing}\n\n{info_text(state, info)}"


def _solve(args: argparse.Namespace, state: State) -> int:
    from noughts.commands.output import progress
    from noughts.solving import solve

    game = state.game
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

    return {
        **_facts(state),
        "value": None if state.is_terminal() else solution.value(state),
        "distance": solution.distance(state),
        "moves": as_records(state, moves),
    }


def _facts(state: State) -> dict[str, object]:
    end = state.outcome()
    return {
        "game": state.game.name,
        "position": state.to_string(),
        "player": None if end else state.current_player(),
        "outcome": end and {"reason": end.reason, "winner": end.winner},
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
