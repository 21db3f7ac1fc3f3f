"""Count the sequences of DEPTH legal moves, split by the first move.

Games that end sooner are counted apart. The number is the usual check that
rules are right.

examples:
  noughts perft ultimate 6
  noughts perft classic 10            all 255168 complete games
  noughts perft extreme 5 --json
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from noughts.commands.output import print_json, progress, table
from noughts.counting import divide
from noughts.library import game_from_command_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="a game of `noughts games`, or FILE.py:RECORD")
    parser.add_argument("depth", type=int, help="how many moves")
    parser.add_argument("--from", dest="position", metavar="POSITION", help="count from here instead of the start")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position is not None else game.new_initial_state()
    import_module("noughts.rules.kernels.perft")  # compiles if need be, which is no part of the count

    started = time.perf_counter()
    with progress(f"perft {game.name} {args.depth}") as tick:
        parts = list(divide(state, args.depth, tick))
    seconds = time.perf_counter() - started
    total = sum(part.sequences for part in parts)
    ended = [sum(part.ended[i] for part in parts) for i in range(3)]
    if args.json:
        moves = {state.action_to_string(part.action): part.sequences for part in parts}
        ends = dict(zip(("line_0", "line_1", "other"), ended, strict=True))
        facts = {"game": game.name, "depth": args.depth, "sequences": total, "ended": ends, "divide": moves}
        print_json(facts, indent=None)
        return 0
    rows = [[state.action_to_string(part.action), f"{part.sequences:,}"] for part in parts]
    print(table(["move", "sequences"], rows, right=[0, 1]))
    print()
    took = f" in {seconds:.2f} s" if sys.stdout.isatty() else ""  # piped output is the same each time
    print(f"{total:,} sequences of {args.depth} moves{took}")
    if any(ended):
        print(
            f"{sum(ended):,} games ended sooner: {ended[0]:,} won by the first player, "
            f"{ended[1]:,} by the second, {ended[2]:,} without a line"
        )
    return 0
