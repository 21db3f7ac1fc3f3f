"""List the players that `play`, `match`, `evaluate` and `tournament` know by
name.

Write options after a colon, separated by commas: alphabeta:depth=6,memory=256.
For models and programs, write them after a question mark, separated by &, and
quote the whole name: 'llm:MODEL?base_url=URL&tokens=4000', 'ugi:./engine
-q?Hash=64'.

examples:
  noughts players
  noughts match mcts:games=500 alphabeta:level=4 --game extreme
"""

from __future__ import annotations

import argparse

from noughts.commands._options import add_json
from noughts.commands.output import Report, table
from noughts.players.registry import player_forms

MORE = (
    "Write options after a colon: alphabeta:depth=6,memory=256. For models and\nprograms, see `noughts players --help`."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    kinds = player_forms()
    rows = [[form, what.replace("; ", ". Options: ", 1)] for form, what in kinds.items()]
    return Report(kinds, f"{table(['player', 'how it plays'], rows)}\n\n{MORE}")
