"""Finds games by name.

`load_game` takes text from any source: it selects from the built-in and registered games.
``FILE.py:RECORD`` and the folder of a game run a file, so only `game_from_command_line` accepts them: it is for text
that a person typed.
"""

from __future__ import annotations

import difflib
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

from noughts.game import Game, game_of
from noughts.games import BUILT_IN, GameData, add_data
from noughts.rules.spec import Rules, short_repr

_REGISTERED: dict[str, Rules] = {}

LONGEST_PATH = 4096
LONGEST_NAME = 40
"""Maximum length of a text that is compared with the names of games."""


def game_names() -> list[str]:
    """Returns the names of the built-in and registered games.

    >>> import noughts
    >>> "wild" in noughts.game_names()
    True
    """
    return sorted({*BUILT_IN, *_REGISTERED})


def load_game(name: str | Rules | Game) -> Game:
    """Returns a game by its name (case does not matter) or its record of rules; a game is returned unchanged.

    Raises ValueError, which lists the names, if there is no such game.

    >>> import noughts
    >>> noughts.load_game("Wild"), noughts.load_game(noughts.games.classic.RULES)
    (<Game wild>, <Game classic>)
    """
    if isinstance(name, Game):
        return name
    if isinstance(name, Rules):
        return game_of(name)
    if (known := _matching_name(name)) is not None:
        return game_of(_rules(known))
    more = ""
    if _names_a_record(name):
        more = (
            "; FILE.py:RECORD runs a file, so only the command line accepts it; "
            "in Python, pass the record to `noughts.load_game`"
        )
    raise ValueError(f"there is no game {short_repr(name)}; {_suggested(name)}{more}")


def register_game(game: Rules | GameData) -> Game:
    """Registers a game of your own for `load_game`, environments, matches and the page of this process.

    game: its record of rules, or its data, which have the record (see `noughts.games.GameData`). Returns the game.
    Raises ValueError if another game has the name.

    >>> import noughts
    >>> from noughts.rules import k_in_a_row
    >>> rules = noughts.Rules("four-wide", "Four Wide", side=4, lines=k_in_a_row(4, 4))
    >>> noughts.register_game(rules)
    <Game four-wide>
    >>> noughts.load_game("four-wide").max_game_length()
    16
    """
    rules = game.rules if isinstance(game, GameData) else game
    if not isinstance(rules, Rules):
        raise TypeError(f"register_game needs a Rules record or GameData, not {type(rules).__name__}")
    if BUILT_IN.get(rules.name, rules) != rules or _REGISTERED.get(rules.name, rules) != rules:
        raise ValueError(f"there is already another game {rules.name!r}; give the record another name")
    if isinstance(game, GameData):
        add_data(game)
    if rules.name not in BUILT_IN:
        _REGISTERED[rules.name] = rules
        for listener in _LISTENERS:
            listener(rules)
    return game_of(rules)


def on_registration(listener: Callable[[Rules], None]) -> None:
    """Calls `listener` with each registered game, including those registered before."""
    _LISTENERS.append(listener)
    for rules in _REGISTERED.values():
        listener(rules)


_LISTENERS: list[Callable[[Rules], None]] = []


def is_built_in(game: Game) -> bool:
    """Returns whether a game is built in, so that files can name it without its rules."""
    return BUILT_IN.get(game.name) == game.rules


def game_from_command_line(text: str) -> Game:
    """Returns a game named on the command line: a built-in one, or ``my_games.py:RECORD``, which runs that file, or the
    folder of a game, which has RULES in its ``__init__.py``.

    Never pass text from a file, a page, a model or the network.
    """
    if (known := _matching_name(text)) is not None:
        return game_of(_rules(known))
    if _names_a_record(text):
        path, _, record = text.rpartition(":")
        return game_of(_record(path, record))
    if _names_a_folder(text):
        return game_of(_record(f"{text}/__init__.py", "RULES"))
    raise ValueError(
        f"there is no game {short_repr(text)}; {_suggested(text)}, or use a record in your own file: "
        "path/to/file.py:NAME"
    )


def _matching_name(text: object) -> str | None:
    """Returns the name of a game typed in any case, with spaces or hyphens; None if there is no such game."""
    if not isinstance(text, str) or len(text) > LONGEST_NAME:
        return None
    name = re.sub(r"[ _]", "-", text.strip().lower()).replace("è", "e")
    return name if name in BUILT_IN or name in _REGISTERED else None


def _rules(name: str) -> Rules:
    return BUILT_IN[name] if name in BUILT_IN else _REGISTERED[name]


def _suggested(text: object) -> str:
    """Returns the list of games for a message, with the closest name first if one is close."""
    close = []
    if isinstance(text, str) and len(text) <= LONGEST_NAME:
        close = difflib.get_close_matches(text.strip().lower(), game_names(), 1)
    hint = f"did you mean {close[0]}? The" if close else "the"
    return f"{hint} games are {', '.join(game_names())}"


def _names_a_record(text: object) -> bool:
    return isinstance(text, str) and text.rpartition(":")[0].endswith(".py")


def _names_a_folder(text: object) -> bool:
    return isinstance(text, str) and len(text) < LONGEST_PATH and Path(text, "__init__.py").is_file()


def _record(path: str, name: str) -> Rules:
    """Runs a file and returns a record of it; the data that the file has for this record are added."""
    if not Path(path).is_file():
        raise ValueError(f"the file {path!r} of the game {name!r} does not exist")
    # files beside it can be imported, as for a script
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        values = runpy.run_path(path)
    except Exception as error:
        raise ValueError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    records = {key: value for key, value in values.items() if isinstance(value, Rules)}
    if name not in records:
        raise ValueError(f"{path} has no Rules record called {name!r}; it has {', '.join(sorted(records)) or 'none'}")
    for value in values.values():
        if isinstance(value, GameData) and value.rules == records[name]:
            add_data(value)
    return records[name]
