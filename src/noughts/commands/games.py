"""List the games, with their sizes and rules.

examples:
  noughts games
  noughts games --json
"""

from __future__ import annotations

import argparse

from noughts.commands._options import add_json
from noughts.commands.output import Report, table
from noughts.games import VARIANTS
from noughts.rules.spec import Rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    rows = [[rules.name, _shape(rules), str(rules.num_actions), rules.summary] for rules in VARIANTS]
    text = table(["game", "board", "actions", "description"], rows, right=[2])
    return Report([_facts(rules) for rules in VARIANTS], text)


def _facts(rules: Rules) -> dict[str, object]:
    return {
        "name": rules.name,
        "title": rules.title,
        "summary": rules.summary,
        "boards": rules.boards,
        "side": rules.side,
        "nested": rules.nested,
        "actions": rules.num_actions,
        "max_game_length": rules.blocks * rules.cells,
        "win_points": rules.win_points,
        "move_seconds": rules.move_seconds,
    }


def _shape(rules: Rules) -> str:
    shape = "x".join([str(rules.side)] * (4 if rules.nested else 2))
    return shape if rules.boards == 1 else f"{rules.boards} of {shape}"
