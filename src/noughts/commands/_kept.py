"""Games that people played, kept as replays in a folder of theirs.

It is `games` in the user's data directory; ``NOUGHTS_GAMES_DIR`` names another.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import platformdirs

from noughts.commands.output import write_file
from noughts.files import slug
from noughts.matches.record import GameRecord
from noughts.matches.replays import to_json

PERSON = "you"
"""The name of the person at the keyboard, in records."""


def games_folder() -> Path:
    """Where games that were played are kept."""
    chosen = os.environ.get("NOUGHTS_GAMES_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("noughts", appauthor=False)) / "games"


def keep(record: GameRecord, path: Path | None = None) -> Path:
    """Write a game to a file, or to a new one in the folder of games; ValueError in a sentence if that fails."""
    if path is None:
        path = _new_name(record)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"the game is not kept: {path.parent} cannot be made ({error.strerror})") from None
    write_file(str(path), to_json(record))
    return path


def _new_name(record: GameRecord) -> Path:
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{slug(record.game.name)}"
    number = 1
    while (path := games_folder() / f"{stem}{f'_{number}' if number > 1 else ''}.json").exists():
        number += 1
    return path
