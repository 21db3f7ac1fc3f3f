"""Exact solutions of the small games: values of all positions, values against a random opponent, values of policies.

The package is not called `solve` because that is its main function: `noughts.solve(game)`. Names are loaded at their
first use, so that rewards can be had without compiling the solver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.solving.codes import TooLarge, require_flat
    from noughts.solving.graph import Graph
    from noughts.solving.policies import (
        AgainstRandom,
        Policy,
        PolicyValue,
        evaluate_policy,
        evaluate_weights,
        named_weights,
        solve_against_random,
    )
    from noughts.solving.rewards import PLAIN, PUBLISHED, PUBLISHED_EVERY_STEP, SCHEMES, Rewards, rewards_of
    from noughts.solving.solution import Counts, RatedMove, Solution, solve

_HOME = {
    "codes": ("TooLarge", "require_flat"),
    "graph": ("Graph",),
    "policies": (
        "AgainstRandom",
        "Policy",
        "PolicyValue",
        "evaluate_policy",
        "evaluate_weights",
        "named_weights",
        "solve_against_random",
    ),
    "rewards": ("PLAIN", "PUBLISHED", "PUBLISHED_EVERY_STEP", "SCHEMES", "Rewards", "rewards_of"),
    "solution": ("Counts", "RatedMove", "Solution", "solve"),
}

__all__ = [
    "PLAIN",
    "PUBLISHED",
    "PUBLISHED_EVERY_STEP",
    "SCHEMES",
    "AgainstRandom",
    "Counts",
    "Graph",
    "Policy",
    "PolicyValue",
    "RatedMove",
    "Rewards",
    "Solution",
    "TooLarge",
    "evaluate_policy",
    "evaluate_weights",
    "named_weights",
    "require_flat",
    "rewards_of",
    "solve",
    "solve_against_random",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
