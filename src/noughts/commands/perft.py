"""Count the sequences of DEPTH legal moves, split by the first move.

Games that end sooner are counted separately. The number is the usual test of a
rules implementation.

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

from noughts.commands._options import GAME_HELP, add_json
from noughts.commands.output import Report, table
from noughts.counting import divide
from noughts.library import game_from_command_line
from noughts.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help=GAME_HELP)
    parser.add_argument("depth", type=int, help="number of moves")
    parser.add_argument(
        "--from", dest="position", metavar="POSITION", help="position to count from (default: the start)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    game = game_from_command_line(args.game)
    state = game.from_string(args.position) if args.position is not None else game.new_initial_state()
    import_module("noughts.rules.kernels.perft")  # compiles if needed, outside the measured time
    started = time.perf_counter()
    with progress(f"perft {game.name} {args.depth}") as tick:
        parts = list(divide(state, args.depth, tick))
    seconds = time.perf_counter() - started
    counts = {state.action_to_string(part.action): part.sequences for part in parts}
    total = sum(counts.values())
    first, second, other = ended = [sum(part.ended[i] for part in parts) for i in range(3)]
    data = {
        "game": game.name,
        "depth": args.depth,
        "sequences": total,
        "ended": dict(zip(("line_0", "line_1", "other"), ended, strict=True)),
        "divide": counts,
    }
    took = f" in {seconds:.2f} s" if sys.stdout.isatty() else ""  # piped output is the same each time
    lines = [
        table(["move", "sequences"], [[move, f"{count:,}"] for move, count in counts.items()], right=[0, 1]),
        "",
        f"{total:,} sequences of {args.depth} moves{took}",
    ]
    if any(ended):
        lines.append(
            f"{sum(ended):,} games ended sooner: {first:,} won by the first player, {second:,} by the second, "
            f"{other:,} without a line"
        )
    return Report(data, "\n".join(lines))
