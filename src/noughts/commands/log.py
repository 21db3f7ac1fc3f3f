"""Print a replay as text: each move, the board after it, and how the game ended.
Moves in nested games are written as the course's bots return them, (row,
column); others as 3,12.

--prints shows what a bot printed or a model replied: x is the first player, o
the second. Logs of the course's evaluator work too: their boards are checked
by the rules, and contradictions are reported.

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
from noughts.matches.record import GameRecord
from noughts.printable import one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="replay written by `noughts match --log`, or evaluator log")
    parser.add_argument("--prints", choices=["x", "o"], help="also show what this player printed, and its traceback")


def run(args: argparse.Namespace) -> Report:
    prints_of = None if args.prints is None else FLAGS.index(args.prints)
    text = game_log(open_game(args.file), prints_of=prints_of).removesuffix("\n")
    return Report({"log": text}, text)


def open_game(path: str) -> GameRecord:
    """Returns the game in a file of any kind. Prints the notes on it."""
    found = load_any(path)
    for text in found.notes:
        note(one_line(text, 1000))
    return found.record
