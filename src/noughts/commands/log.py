"""Print a replay as text: each move, the board after it, and how the game
ended.

What a bot printed is shown only where it is asked for: --prints x for the first
player's, --prints o for the second's.

examples:
  noughts log games/game-0001-team7-random.json
  noughts log game.json --prints x | less
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a replay, as `noughts match --log` keeps them")
    parser.add_argument("--prints", choices=["x", "o"], help="also what this player printed, and its traceback")


def run(args: argparse.Namespace) -> int:
    from noughts.matches.course_log import FLAGS, course_log
    from noughts.matches.record import load

    prints_of = None if args.prints is None else FLAGS.index(args.prints)
    print(course_log(load(args.file), prints_of=prints_of), end="")
    return 0
