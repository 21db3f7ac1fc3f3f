"""Exact solutions of the small games: values of all positions, values against a random opponent, values of policies.

The package is not called `solve` because that is its main function: `noughts.solve(game)`.
"""

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
from noughts.solving.size import TooLarge
from noughts.solving.solution import Counts, RatedMove, Solution, solve

__all__ = [
    "PLAIN",
    "PUBLISHED",
    "PUBLISHED_EVERY_STEP",
    "SCHEMES",
    "AgainstRandom",
    "Counts",
    "Policy",
    "PolicyValue",
    "RatedMove",
    "Rewards",
    "Solution",
    "TooLarge",
    "evaluate_policy",
    "evaluate_weights",
    "named_weights",
    "rewards_of",
    "solve",
    "solve_against_random",
]
