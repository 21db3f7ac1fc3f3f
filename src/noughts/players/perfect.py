"""The player who never gives away value, in games small enough to solve."""

from __future__ import annotations

import random

from noughts.game import State
from noughts.players.clock import Clock


class PerfectPlayer:
    """Plays for the best value, then the fastest win or the slowest loss, then where a random reply errs most often.

    Among equal moves the seed decides. A game that is too large to solve raises TooLarge.
    """

    name = "perfect"

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, state: State, clock: Clock) -> int:
        from noughts.solving import solve

        return self._random.choice(solve(state.game).preferred_actions(state))
