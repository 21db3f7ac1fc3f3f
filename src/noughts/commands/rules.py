"""Show the rules of a game, with pictures. Language models get the same rules.

examples:
  noughts rules extreme
  noughts rules numerical
  noughts rules my_games.py:GOMOKU
"""

from __future__ import annotations

import argparse
import textwrap

from noughts.commands._options import GAME_HELP, add_ascii, add_json
from noughts.commands.output import WIDTH, Report, board, width
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.text.prompts import example_of_sending
from noughts.text.replies import bracketed
from noughts.text.rulebooks import example_position, rulebook


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help=GAME_HELP)
    add_ascii(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> Report:
    game = game_from_command_line(args.game)
    data = {"game": game.name, "title": game.rules.title, "rules": rulebook(game.rules)}
    return Report(data, rules_page(game, ascii_only=args.ascii))


def rules_page(game: Game, player: int = 0, *, ascii_only: bool = False) -> str:
    """Returns the rules, and a board that shows their example, for the terminal."""
    columns = min(width(), WIDTH)
    parts = []
    for part in rulebook(game.rules, player).split("\n"):
        parts += textwrap.wrap(part, columns, break_on_hyphens=False) if len(part) > columns else [part]
    state = example_position(game)
    if state is not None:
        move = bracketed(game.rules, example_of_sending(game.rules))
        parts += ["", f"The board after the example, {move}:", "", board(state, ascii_only=ascii_only)]
    return "\n".join(parts)
