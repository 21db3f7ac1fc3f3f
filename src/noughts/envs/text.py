"""The games played by text, behind TextArena's interface.

>>> from noughts.envs import text
>>> env = text.make("WildTicTacToe-v0")
>>> env.reset(num_players=2)
>>> player, observation = env.get_observation()
>>> done, info = env.step("The centre is strong: [X 4]")
>>> done, info["valid"], info["move"]
(False, True, '[X 4]')

Importing this is cheap; the compiled rules are loaded by the first `make`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import noughts

if TYPE_CHECKING:
    from noughts.envs.episode import Episode, StepInfo
    from noughts.text import TextEnv

    ENV_GAMES: dict[str, str]
    """The environments by id, and the game that each one plays."""

__all__ = ["ENV_GAMES", "Episode", "StepInfo", "TextEnv", "make", "register_textarena"]

_ELSEWHERE = {
    "Episode": "noughts.envs.episode",
    "StepInfo": "noughts.envs.episode",
    "TextEnv": "noughts.text.env",
}


def make(
    env_id: str,
    *,
    error_allowance: int = 0,
    observation: str = "history",
    take: str = "first",
    talk: bool = False,
    list_moves: bool = True,
    full_rules: bool = False,
) -> TextEnv:
    """Returns the environment with this id; `TextEnv` describes the options."""
    games = _env_games()
    if env_id not in games:
        raise ValueError(f"there is no environment {env_id!r}; choose from {', '.join(games)}")
    game = noughts.load_game(games[env_id])
    return noughts.text.TextEnv(
        game,
        error_allowance=error_allowance,
        observation=observation,
        take=take,
        talk=talk,
        list_moves=list_moves,
        full_rules=full_rules,
    )


def register_textarena() -> list[str]:
    """Registers every environment with TextArena as ``noughts/ID``; returns the ids for `textarena.make`.

    ``noughts/ID`` shows the whole history, ``noughts/ID-train`` the rules and the current board, and ``noughts/ID-raw``
    is not wrapped at all. Calling it again changes nothing.
    """
    ids: list[str] = import_module("noughts.envs.textarena").register()
    return ids


@cache
def _env_games() -> dict[str, str]:
    return {data.environment_id: data.rules.name for data in import_module("noughts.games").LISTED}


def __getattr__(name: str) -> Any:
    if name == "ENV_GAMES":
        return _env_games()
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE[name]), name)
