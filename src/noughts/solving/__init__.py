"""Solves the small games exactly: values of all positions, values against a random opponent, values of policies.

The package is not called `solve` because its main function is: `noughts.solve(game)`. Names are loaded at their first
use, so that rewards do not compile the solver.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.solving.codes import TooLarge as TooLarge
    from noughts.solving.policies import BestResponse as BestResponse
    from noughts.solving.policies import Policy as Policy
    from noughts.solving.policies import PolicyValue as PolicyValue
    from noughts.solving.rewards import PLAIN as PLAIN
    from noughts.solving.rewards import PUBLISHED as PUBLISHED
    from noughts.solving.rewards import PUBLISHED_EVERY_STEP as PUBLISHED_EVERY_STEP
    from noughts.solving.rewards import SCHEMES as SCHEMES
    from noughts.solving.rewards import Rewards as Rewards
    from noughts.solving.rewards import rewards_of as rewards_of
    from noughts.solving.solution import Counts as Counts
    from noughts.solving.solution import RatedMove as RatedMove
    from noughts.solving.solution import Solution as Solution
    from noughts.solving.solution import SolvedPosition as SolvedPosition
    from noughts.solving.solution import solve as solve

lazy_names(
    __name__,
    {
        "codes": "TooLarge",
        "policies": "BestResponse Policy PolicyValue",
        "rewards": "PLAIN PUBLISHED PUBLISHED_EVERY_STEP SCHEMES Rewards rewards_of",
        "solution": "Counts RatedMove Solution SolvedPosition solve",
    },
)
