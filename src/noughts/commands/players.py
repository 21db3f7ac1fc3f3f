"""List the players: whom `play`, `match`, `evaluate`, `tournament` know by name.

Options follow a colon, with commas between them: alphabeta:depth=6,memory=256.
Those of a model or a program follow a question mark, with & between them, in
quotes: 'llm:MODEL?base_url=URL&tokens=4000', 'ugi:./engine -q?Hash=64'.

examples:
  noughts players
  noughts match mcts:games=500 alphabeta:level=4 --game extreme
"""

from __future__ import annotations

import argparse

from noughts.commands.output import print_result, table
from noughts.players.registry import PLAYER_FORMS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    rows = [[form, what.replace("; ", ". Options: ", 1)] for form, what in PLAYER_FORMS.items()]
    more = "Options follow a colon: alphabeta:depth=6,memory=256. `noughts players --help`\nhas more."
    print_result(args.json, lambda: PLAYER_FORMS, lambda: f"{table(['player', 'how it plays'], rows)}\n\n{more}")
    return 0
