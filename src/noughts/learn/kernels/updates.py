"""What the learning kernels share: their parameters and counters as arrays, exploration, and the update.

params  float64[PARAM_WORDS]  as below; an end pays win, draw or loss, every other step `step`
counts  int64[COUNT_WORDS]    as below; TALLY counts games won, drawn and lost by the agent since it was last cleared
stream  uint64[1]             the random stream
visits  int32[pairs]          how often each value was updated; a single word if the learning rate does not ask
"""

from __future__ import annotations

from math import exp
from typing import Final, Protocol

import numpy as np

from noughts.rules.kernels.jit import Ints, inlined
from noughts.rules.kernels.playout import next_random, scale

ALPHA: Final = 0
POWER: Final = 1
GAMMA: Final = 2
LEAST_EPSILON: Final = 3
EPSILON_SPAN: Final = 4
EPSILON_DECAY: Final = 5
WIN: Final = 6
DRAW: Final = 7
LOSS: Final = 8
STEP: Final = 9
PARAM_WORDS: Final = 10

EPISODE: Final = 0
POSITIONS: Final = 1
PAIRS: Final = 2
TALLY: Final = 3
COUNT_WORDS: Final = 6

GREEDY: Final = -1
"""What `explored` says where the best known action is to be taken."""


class Reals(Protocol):
    """A one-dimensional float64 array, as the kernels see it."""

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...


@inlined
def exploration(params: Reals, episode: int) -> np.uint64:
    """How many of 2**32 choices of an episode are random: a share that falls from start to least."""
    share = params[LEAST_EPSILON] + params[EPSILON_SPAN] * exp(-params[EPSILON_DECAY] * episode)
    return np.uint64(share * 4294967296.0)


@inlined
def explored(draw: np.uint64, threshold: np.uint64, actions: int) -> tuple[int, np.uint64]:
    """Which of so many actions is tried at random, or GREEDY; and the random stream afterwards."""
    draw = next_random(draw)
    choice = GREEDY
    if draw >> np.uint64(32) < threshold:
        draw = next_random(draw)
        choice = scale(draw >> np.uint64(32), actions)
    return choice, draw


@inlined
def update(params: Reals, values: Reals, visits: Ints, pair: int, target: float) -> None:
    """Move a value towards its target: by the rate ALPHA, or with a POWER by (number of updates) ** -POWER."""
    rate = params[ALPHA]
    if params[POWER] != 0.0:
        visits[pair] += 1
        rate = visits[pair] ** -params[POWER]
    values[pair] += rate * (target - values[pair])
