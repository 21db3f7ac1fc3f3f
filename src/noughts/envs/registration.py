"""The games under Gymnasium's names: ``noughts/Classic-v0``, ``noughts/WildMisere-v0``, ..."""

from __future__ import annotations

import gymnasium

from noughts.game import Game
from noughts.games import VARIANTS, data_of
from noughts.library import load_game, on_registration
from noughts.rules.spec import Rules


def env_id(game_name: str) -> str:
    """Returns the id of a game's environment."""
    return f"noughts/{''.join(part.capitalize() for part in game_name.split('-'))}-v0"


def register() -> None:
    """Registers the environments of all games with Gymnasium, including games registered later.

    The environment of a game whose decision process was published uses its rewards by default.
    """
    global _listening
    for rules in VARIANTS:
        _register(rules)
    if not _listening:
        _listening = True
        on_registration(_register)


_listening = False


def _register(rules: Rules) -> None:
    if env_id(rules.name) in gymnasium.registry:
        return
    gymnasium.register(
        env_id(rules.name),
        entry_point="noughts.envs.gym:NoughtsEnv",
        vector_entry_point="noughts.envs.vector:NoughtsVectorEnv",
        kwargs={
            "registered": rules.name
            if rules in VARIANTS
            else rules,  # Gymnasium's worker processes know only built-in games
            "rewards": "published" if data_of(rules).published_pairs else "outcome",
        },
    )


def chosen_game(game: str | Rules | Game | None, registered: str | Rules | None) -> Game:
    """Returns the game of an environment (default: classic). Raises ValueError if it was made under the id of another
    one."""
    if registered is None:
        return load_game("classic" if game is None else game)
    own = load_game(registered)
    if game is not None and load_game(game) != own:
        raise ValueError(
            f"{env_id(own.name)} is the environment of {own.name}, not of game={load_game(game).name!r}; "
            "use that game's id, or NoughtsEnv(game)"
        )
    return own
