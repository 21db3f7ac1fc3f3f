"""Print a replay as text: each move, the board after it, and how the game
ended. In nested games a move is written as bots of the course return it,
(row, column); elsewhere it is 3,12.

What a bot printed, or a model replied, is shown only where it is asked for:
--prints x for the first player's, --prints o for the second's. Logs of the
course's evaluator can be read too: their boards are checked by the rules, and
what does not fit is said.

examples:
  noughts log games/game-0001-team7-random.json
  noughts log game.json --prints x | less
  noughts log evaluations/DIR/transcript.jsonl#3 --prints x
"""

from __future__ import annotations

import argparse

from noughts.commands.output import Report, note
from noughts.course.game_files import load_any
from noughts.matches.log import FLAGS, game_log
from noughts.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a replay, as `noughts match --log` keeps them, or a log")
    parser.add_argument("--prints", choices=["x", "o"], help="also what this player printed, and its traceback")


def run(args: argparse.Namespace) -> Report:
    prints_of = None if args.prints is None else FLAGS.index(args.prints)
    record = load_any(args.file, warn=lambda text: note(one_line(text, 1000)))
    text = game_log(record, prints_of=prints_of).removesuffix("\n")
    return Report({"log": text}, text)
