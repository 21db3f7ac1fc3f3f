"""Menus in the terminal: what to do, which game, which opponent. Uses arrow keys if the terminal supports them."""

from __future__ import annotations

import argparse
import os

from prompt_toolkit.shortcuts import choice

from noughts.commands._saved_games import unfinished_games
from noughts.commands.output import is_terminal
from noughts.library import game_names, load_game

OPPONENTS = {
    "3": "level 3: a thoughtful beginner can win",
    "1": "level 1: for a first game",
    "6": "level 6: hard",
    "10": "level 10: maximum strength",
    "human": "a person beside you",
}
ACTIONS = {
    "play": "play in the terminal",
    "serve": "play, analyse and watch in the browser",
    "rules": "read the rules of a game",
    "tournament": "watch example bots play a tournament",
    "doctor": "see what works on this machine",
    "help": "list all commands",
}
"""Choices of `noughts` without a command."""


def has_keys() -> bool:
    """Returns whether the terminal can read keys and redraw in place."""
    return is_terminal() and os.environ.get("TERM") not in ("dumb", "unknown")


def main_menu() -> list[str]:
    """Asks what to do. Returns the arguments of that command; empty to list the commands, or if piped."""
    if not is_terminal():
        return []
    chosen = pick("What would you like to do?", list(ACTIONS.items()))
    if chosen == "rules":
        return ["rules", pick("Which game?", _games())]
    return [] if chosen == "help" else [chosen]


def choose_game(args: argparse.Namespace) -> str:
    """Asks for the game, or a saved one to continue; for a new game, also for the opponent and the first player."""
    if not is_terminal():
        raise ValueError(f"name a game: {', '.join(game_names())}")
    game = pick("Which game?", [*unfinished_games(), *_games()])
    if game in game_names() and args.opponent is None and args.level is None:
        opponent = pick("Which opponent?", list(OPPONENTS.items()))
        args.opponent = opponent if opponent == "human" else f"alphabeta:level={opponent}"
        if opponent != "human" and not args.second:
            args.second = pick("Who moves first?", [("you", "you"), ("they", "your opponent")]) == "they"
    return game


def pick(question: str, options: list[tuple[str, str]]) -> str:
    """Asks to choose one of (value, label): by arrow keys, or by its number."""
    if has_keys():
        return choice(question, options=options)
    print(question)
    for number, (_, label) in enumerate(options, 1):
        print(f"{number:4}  {label}")
    while True:
        text = input(f"1 to {len(options)} (Enter: 1) > ").strip().lower() or "1"
        if text.isdecimal() and 1 <= int(text) <= len(options):
            return options[int(text) - 1][0]
        found = [value for value, _ in options if value.lower() == text]
        if found:
            return found[0]


def _games() -> list[tuple[str, str]]:
    return [(name, f"{load_game(name).rules.title} ({name})") for name in game_names()]
