"""The player who picks any legal move."""

from __future__ import annotations

import random

from noughts.game import State
from noughts.players.clock import Clock


class RandomPlayer:
    """Uniform over the legal actions; the same seed gives the same choices."""

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, state: State, clock: Clock) -> int:
        return self._random.choice(state.legal_actions())
