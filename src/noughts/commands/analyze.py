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

from noughts import search
from noughts.analysis import Evaluation, Evaluator, evaluator_for
from noughts.analysis.evaluator import evaluations_of
from noughts.commands import replay
from noughts.commands._evaluations import as_data, labels, legend, moves_data, reply_errors
from noughts.commands._numbers import whole_number
from noughts.commands.output import board, print_result, progress, table
from noughts.commands.search_view import effort_data, info_text, search_watched
from noughts.draw import player_name
from noughts.game import State
from noughts.library import game_from_command_line
from noughts.rules.spec import shown

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
    if _is_kept_game(args.game):
        return _grade(args)
    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position else game.new_initial_state()
    with progress(f"solving {game.name}") as tick:
        evaluator = evaluator_for(game, tick=tick)
    return _search(args, state) if evaluator.solution is None else _solved(args, state, evaluator)


def _is_kept_game(text: str) -> bool:
    return text.lower().endswith((".json", ".log", ".jsonl")) or any(
        mark in text.lower() for mark in (".log#", ".jsonl#")
    )


def _grade(args: argparse.Namespace) -> int:
    """Prints the costly moves of a kept game."""
    if args.position or args.time is not None or args.depth is not None:
        raise ValueError("a kept game is graded as a whole: only --nodes and --json go with it")
    return replay.run(
        argparse.Namespace(file=args.game, at=None, grade=True, nodes=args.nodes, json=args.json, html=None)
    )


def _search(args: argparse.Namespace, state: State) -> int:
    if args.multi_pv < 1:
        raise ValueError(f"--multi-pv must be 1 or more, not {shown(args.multi_pv)}")
    if args.time is not None and not 0 <= args.time <= MOST_SECONDS:
        raise ValueError(f"--time is in seconds, 0 to {MOST_SECONDS:,}, not {args.time:g}")
    seconds = SECONDS if args.time is None and args.depth is None and args.nodes is None else args.time
    limits = search.Limits(seconds, args.nodes, args.depth)
    info = None if state.is_terminal() else search_watched(search.Engine(state.game), state, limits, args.multi_pv)
    print_result(args.json, lambda: _search_data(state, info), lambda: _search_report(state, info, args.ascii))
    return 0


def _search_data(state: State, info: search.SearchInfo | None) -> dict[str, object]:
    found = {} if info is None else evaluations_of(state, info)
    effort = {} if info is None else effort_data(info)
    return {**_facts(state, next(iter(found.values()), None)), **effort, "moves": moves_data(state, found)}


def _search_report(state: State, info: search.SearchInfo | None, ascii_only: bool) -> str:
    drawing = board(state, ascii_only=ascii_only)
    if info is None:
        return f"{drawing}\n\nThe game is over: there is nothing to judge."
    return f"{drawing}\n\n{info_text(state, info)}"


def _solved(args: argparse.Namespace, state: State, evaluator: Evaluator) -> int:
    assert evaluator.solution is not None
    moves = evaluator.evaluate_moves(state)
    errors = reply_errors(evaluator.solution.rated_moves(state))
    best = None if state.is_terminal() else evaluator.evaluate(state)
    print_result(
        args.json,
        lambda: {**_facts(state, best), "moves": moves_data(state, moves, errors)},
        lambda: _report(state, moves, errors, args.ascii),
    )
    return 0


def _facts(state: State, found: Evaluation | None) -> dict[str, object]:
    """A position and its evaluation, for scripts; none if the game is over."""
    end = state.outcome()
    return {
        "game": state.game.name,
        "position": state.to_string(),
        "player": None if end else state.current_player(),
        "outcome": end and {"reason": end.reason, "winner": end.winner},
        **(
            {"value": None, "exact": None, "distance": None, "at_most": False, "line": []}
            if found is None
            else as_data(state, found)
        ),
    }


def _report(state: State, moves: dict[int, Evaluation], errors: dict[int, float], ascii_only: bool) -> str:
    drawing = board(state, ascii_only=ascii_only, labels=labels(state, moves))
    if not moves:
        return f"{drawing}\n\nThe game is over: there is nothing to judge."
    rows = [[state.action_to_string(action), found.words, f"{errors[action]:.0%}"] for action, found in moves.items()]
    verdict = next(iter(moves.values())).words
    name = player_name(state.game.rules, state.current_player())
    parts = [
        f"{name[0].upper()}{name[1:]} {verdict} with best play.",
        drawing,
        legend(state, moves),
        table(["move", "result", "replies that err"], rows, right=[0, 2]),
    ]
    return "\n\n".join(parts)
