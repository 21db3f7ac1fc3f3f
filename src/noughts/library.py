"""Finding games by name.

`load_game` takes any text, wherever it comes from: it chooses from the list of built-in games. ``FILE.py:RECORD`` runs
a file, so only what a person typed may name a game like that: `game_from_command_line`, which only the commands call.
"""

from __future__ import annotations

import difflib
import re
import runpy
import sys
from functools import cache
from pathlib import Path

from noughts.game import Game
from noughts.rules.spec import Rules, shown
from noughts.rules.variants import VARIANTS

_BUILT_IN = {rules.name: rules for rules in VARIANTS}

LONGEST_NAME = 40
"""Longer texts are not compared with the names of games."""


def game_names() -> list[str]:
    """The names of the built-in games."""
    return sorted(_BUILT_IN)


def load_game(name: str) -> Game:
    """A built-in game by its name, in any case; ValueError that lists them if there is none of that name."""
    if (known := _known(name)) is not None:
        return _built_in(known)
    more = ""
    if _names_a_record(name):
        more = (
            "; FILE.py:RECORD runs a file, so it is understood on the command line only, "
            "and in Python a record is a game by `noughts.Game(record)`"
        )
    raise ValueError(f"there is no game {shown(name)}; {_suggested(name)}{more}")


def game_from_command_line(text: str) -> Game:
    """A game as a person names it on the command line: a built-in one, or ``my_games.py:RECORD``, which runs that file.

    Never for text from a file, a page, a model or the network.
    """
    if (known := _known(text)) is not None:
        return _built_in(known)
    if _names_a_record(text):
        path, _, record = text.rpartition(":")
        return Game(_record(path, record))
    raise ValueError(
        f"there is no game {shown(text)}; {_suggested(text)}, or a record in a file of yours: path/to/file.py:NAME"
    )


def _known(text: object) -> str | None:
    """The name of a built-in game, if that is what the text says in any case, with spaces or hyphens."""
    if not isinstance(text, str) or len(text) > LONGEST_NAME:
        return None
    name = re.sub(r"[ _]", "-", text.strip().lower()).replace("è", "e")
    return name if name in _BUILT_IN else None


def _suggested(text: object) -> str:
    """The games, and before them the one that was meant, if one can tell."""
    close = []
    if isinstance(text, str) and len(text) <= LONGEST_NAME:
        close = difflib.get_close_matches(text.strip().lower(), game_names(), 1)
    meant = f"did you mean {close[0]}? The" if close else "the"
    return f"{meant} games are {', '.join(game_names())}"


def _names_a_record(text: object) -> bool:
    return isinstance(text, str) and text.rpartition(":")[0].endswith(".py")


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
