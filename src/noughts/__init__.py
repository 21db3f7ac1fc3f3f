"""noughts: the tic-tac-toe family. Rules at machine speed, for people, learners, language models and bots.

>>> import noughts
>>> state = noughts.load_game("wild").new_initial_state()
>>> state.apply_action(state.string_to_action("[X 4]"))
>>> state.to_string()
'.../.X./... p1'

Everything here is loaded at its first use: importing noughts itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.counting import Playouts, perft, playouts
    from noughts.game import TERMINAL, Game, IllegalMove, Outcome, State
    from noughts.library import game_names, load_game
    from noughts.rules.position import PositionError
    from noughts.rules.spec import Rules, RulesError
    from noughts.solving import (
        AgainstRandom,
        PolicyValue,
        Rewards,
        Solution,
        TooLarge,
        evaluate_policy,
        solve,
        solve_against_random,
    )

__version__ = "0.1.0"

_HOME = {
    "Playouts": "noughts.counting",
    "perft": "noughts.counting",
    "playouts": "noughts.counting",
    "TERMINAL": "noughts.game",
    "Game": "noughts.game",
    "IllegalMove": "noughts.game",
    "Outcome": "noughts.game",
    "State": "noughts.game",
    "game_names": "noughts.library",
    "load_game": "noughts.library",
    "PositionError": "noughts.rules.position",
    "Rules": "noughts.rules.spec",
    "RulesError": "noughts.rules.spec",
    "AgainstRandom": "noughts.solving",
    "PolicyValue": "noughts.solving",
    "Rewards": "noughts.solving",
    "Solution": "noughts.solving",
    "TooLarge": "noughts.solving",
    "evaluate_policy": "noughts.solving",
    "solve": "noughts.solving",
    "solve_against_random": "noughts.solving",
}

__all__ = [
    "TERMINAL",
    "AgainstRandom",
    "Game",
    "IllegalMove",
    "Outcome",
    "Playouts",
    "PolicyValue",
    "PositionError",
    "Rewards",
    "Rules",
    "RulesError",
    "Solution",
    "State",
    "TooLarge",
    "evaluate_policy",
    "game_names",
    "load_game",
    "perft",
    "playouts",
    "solve",
    "solve_against_random",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'noughts' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
