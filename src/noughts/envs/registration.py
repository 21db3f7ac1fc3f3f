"""The games under Gymnasium's names: ``noughts/Classic-v0``, ``noughts/WildMisere-v0``, ..."""

from __future__ import annotations

from noughts.rules.variants import VARIANTS

PUBLISHED_FOR = "numerical"
"""The game whose published decision process has rewards of its own; its environment pays them unless told otherwise."""


def env_id(game_name: str) -> str:
    """The id of a game's environment."""
    return f"noughts/{''.join(part.capitalize() for part in game_name.split('-'))}-v0"


def register() -> list[str]:
    """Tell Gymnasium the environments of all built-in games; their ids. Calling it again changes nothing."""
    import gymnasium

    ids = []
    for rules in VARIANTS:
        ids.append(env_id(rules.name))
        if ids[-1] in gymnasium.registry:
            continue
        rewards = "published" if rules.name == PUBLISHED_FOR else "outcome"
        gymnasium.register(
            ids[-1],
            entry_point="noughts.envs.gym:NoughtsEnv",
            vector_entry_point="noughts.envs.vector:NoughtsVectorEnv",
            kwargs={"game": rules.name, "rewards": rewards},
        )
    return ids
