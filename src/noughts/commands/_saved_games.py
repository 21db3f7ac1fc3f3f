"""Saved games of the person at the keyboard, as replays.

The folder is `games` in the user's data directory, or the one named by ``NOUGHTS_GAMES_DIR``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import platformdirs

from noughts.commands.output import write_file
from noughts.files import slug
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.matches.replays import load, to_json
from noughts.printable import one_line

PERSON = "you"
"""Name of the person at the keyboard, in records."""
SAVED_LISTED = 3
SAVED_READ = 50
"""Maximum files searched for unfinished games, newest first."""


def games_folder() -> Path:
    """Returns the folder of saved games."""
    chosen = os.environ.get("NOUGHTS_GAMES_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("noughts", appauthor=False)) / "games"


def save_game(record: GameRecord, path: Path | None = None) -> Path:
    """Writes a game to a file, or to a new one in the folder of saved games. Raises ValueError if that fails."""
    if path is None:
        path = _new_name(record)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"the game is not saved: cannot create {path.parent} ({error.strerror})") from None
    write_file(str(path), to_json(record))
    return path


def _new_name(record: GameRecord) -> Path:
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{slug(record.game.name)}"
    number = 1
    while (path := games_folder() / f"{stem}{f'_{number}' if number > 1 else ''}.json").exists():
        number += 1
    return path


def unfinished_games() -> list[tuple[str, str]]:
    """Returns the newest unfinished games, with labels for a menu."""
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
            found.append((str(path), f"continue {record.game.rules.title}{against}, after move {len(record.moves)}"))
    return found
