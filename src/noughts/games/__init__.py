"""The games: one folder for each, with its record of rules and all that belongs to it alone.

A game's folder defines RULES and DATA (see `data.GameData`). To list another game, add its folder (see
docs/adding-a-game.md). Everything else asks for a game's data by its rules, never by its name.
"""

from __future__ import annotations

import os
from importlib import import_module

from noughts.games.data import EvalWeights, GameData
from noughts.rules.spec import Rules, playing_facts

__all__ = ["BUILT_IN", "LISTED", "VARIANTS", "EvalWeights", "GameData", "add_data", "data_of", "listing_of"]

_FOLDERS = sorted(entry.name for entry in os.scandir(__path__[0]) if os.path.isfile(f"{entry.path}/__init__.py"))

LISTED: tuple[GameData, ...] = tuple(
    sorted(
        (import_module(f"{__name__}.{folder}").DATA for folder in _FOLDERS),
        key=lambda data: (data.rules.num_actions, data.rules.name),
    )
)
"""The data of the built-in games, from the smallest game to the largest."""

VARIANTS: tuple[Rules, ...] = tuple(data.rules for data in LISTED)
"""The built-in games, in the same order."""

BUILT_IN: dict[str, Rules] = {rules.name: rules for rules in VARIANTS}
"""The same, by name."""

_BY_FACTS = {playing_facts(data.rules): data for data in LISTED}
_OWN: dict[tuple[object, ...], GameData] = {}


def data_of(rules: Rules) -> GameData:
    """Returns the data of the game with these rules under whatever name; GameData without anything if there is none."""
    facts = playing_facts(rules)
    return _BY_FACTS.get(facts) or _OWN.get(facts) or GameData(rules)


def listing_of(rules: Rules) -> GameData | None:
    """Returns the data of a built-in game and its names in other libraries; None if the record is not built in."""
    return next((data for data in LISTED if data.rules == rules), None)


def own_data_of(rules: Rules) -> GameData | None:
    """Returns the data that `add_data` added for these rules."""
    return _OWN.get(playing_facts(rules))


def add_data(data: GameData) -> None:
    """Adds the data of a game of your own, for this process. Data of built-in rules are not replaced."""
    _OWN[playing_facts(data.rules)] = data
