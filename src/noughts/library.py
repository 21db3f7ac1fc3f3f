"""Finding games by name: the built-in ones, and records in a user's own file."""

from __future__ import annotations

import runpy
import sys
from functools import cache
from pathlib import Path

from noughts.game import Game
from noughts.rules.spec import Rules
from noughts.rules.variants import VARIANTS

_BUILT_IN = {rules.name: rules for rules in VARIANTS}


def game_names() -> list[str]:
    """The names of the built-in games."""
    return sorted(_BUILT_IN)


def load_game(name: str) -> Game:
    """A built-in game by its name, or one from a file: ``my_games.py:DIAMONDS``, the record's name in the file.

    Running a file runs its code: only name files you trust.
    """
    if name in _BUILT_IN:
        return _built_in(name)
    path, colon, record = name.rpartition(":")
    if colon and path.endswith(".py"):
        return Game(_record(path, record))
    raise ValueError(
        f"there is no game {name!r}; the games are {', '.join(game_names())}, "
        "or a record in a file of yours: path/to/file.py:NAME"
    )


@cache
def _built_in(name: str) -> Game:
    return Game(_BUILT_IN[name])


def _record(path: str, name: str) -> Rules:
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path!r} to take the game {name!r} from")
    # As for a script, files beside it can be imported.
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        found = {key: value for key, value in runpy.run_path(path).items() if isinstance(value, Rules)}
    except Exception as error:
        raise ValueError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    if name not in found:
        raise ValueError(f"{path} has no Rules record called {name!r}; it has {', '.join(sorted(found)) or 'none'}")
    return found[name]
