"""Menus in the terminal: what to do, which game, against whom. By arrow keys where the terminal can, else typed."""

from __future__ import annotations

import argparse
import os
import sys

from noughts.commands._kept import PERSON, games_folder
from noughts.commands._keys import KeyBoard, choose
from noughts.library import game_names, load_game
from noughts.matches.record import UNFINISHED
from noughts.matches.replays import load
from noughts.printable import one_line

OPPONENTS = {
    "3": "level 3: a beginner can beat it with thought",
    "1": "level 1: for a first game",
    "6": "level 6: hard",
    "10": "level 10: as strong as it gets",
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
"""What bare `noughts` offers, by command."""


def is_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_keys() -> bool:
    """Whether keys can be read and text be drawn in place."""
    return is_terminal() and os.environ.get("TERM") not in ("dumb", "unknown")


def key_board() -> KeyBoard | None:
    """A board with a cursor, where the terminal can show one."""
    if not has_keys():
        return None

    return KeyBoard()


def main_menu() -> list[str]:
    """Asks what to do, and returns the arguments of that command; none for the list of commands, or if piped."""
    if not is_terminal():
        return []
    chosen = pick("What would you like to do?", list(ACTIONS.items()))
    if chosen == "rules":
        return ["rules", pick("Which game?", _games())]
    return [] if chosen == "help" else [chosen]


def choose_game(args: argparse.Namespace) -> str:
    """Asks for the game, or a saved one to go on with; for a new one, fills in the opponent and who begins."""
    if not is_terminal():
        raise ValueError(f"name a game: {', '.join(game_names())}")
    game = pick("Which game?", [*_unfinished(), *_games()])
    if game in game_names() and args.opponent is None and args.level is None:
        opponent = pick("Against whom?", list(OPPONENTS.items()))
        args.opponent = opponent if opponent == "human" else f"alphabeta:level={opponent}"
        if opponent != "human" and not args.second:
            args.second = pick("Who begins?", [("you", "you"), ("they", "your opponent")]) == "they"
    return game


def pick(question: str, options: list[tuple[str, str]]) -> str:
    """Asks to choose one of (value, label): by arrow keys, or by its number."""
    if has_keys():
        return choose(question, options)
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


SAVED_LISTED = 3
SAVED_READ = 50
"""Files that are looked at, the newest first: most of them are games that ended."""


def _unfinished() -> list[tuple[str, str]]:
    """The newest games that were left before their end, by their file."""
    found: list[tuple[str, str]] = []
    try:
        files = sorted(games_folder().glob("*.json"), key=os.path.getmtime, reverse=True)
    except OSError:
        return []
    for path in files[:SAVED_READ]:
        try:
            record = load(path)
        except (ValueError, OSError):
            continue
        if record.reason == UNFINISHED and len(found) < SAVED_LISTED:
            other = next((name for name in record.players if name != PERSON), "").replace("alphabeta:level=", "level ")
            against = f" against {one_line(other)}" if PERSON in record.players else ""
            found.append((str(path), f"go on: {record.game.rules.title}{against}, after move {len(record.moves)}"))
    return found
