"""Shared by the learning kernels: parameters and counters as arrays, epsilon-greedy choices, and the update.

params  float64[PARAM_WORDS]  as below; an end pays win, draw or loss, every other step `step`
counts  int64[COUNT_WORDS]    as below; TALLY counts games won, drawn and lost by the agent since it was last cleared
stream  uint64[1]             the random stream; inside the kernels its word is `rng`
visits  int32[values]         number of updates of each value; a single word if the learning rate does not need it
"""

from __future__ import annotations

from math import exp
from typing import Final

import numpy as np

from noughts.rules.kernels.arrays import Ints, Reals
from noughts.rules.kernels.jit import inlined
from noughts.rules.kernels.playout import next_random, scale
from noughts.solving.kernels.codes import WON

# params
ALPHA: Final = 0
POWER: Final = 1
GAMMA: Final = 2
LEAST_EPSILON: Final = 3
EPSILON_SPAN: Final = 4
EPSILON_DECAY: Final = 5
WIN: Final = 6  # then the rewards in the order of `result_of`
DRAW: Final = 7
LOSS: Final = 8
STEP: Final = 9
PARAM_WORDS: Final = 10

# counts
EPISODE: Final = 0
POSITIONS: Final = 1
PAIRS: Final = 2
TALLY: Final = 3  # three words, in the order of `result_of`
COUNT_WORDS: Final = 6


@inlined
def result_of(kind: int, seat: int) -> int:
    """Returns 0 if a game that ended in a position of this kind was won by the player in `seat`, 1 if drawn, 2 if
    lost."""
    if kind != WON and kind != WON + 1:
        return 1
    return 0 if kind == WON + seat else 2


@inlined
def epsilon_threshold(params: Reals, episode: int) -> np.uint64:
    """Returns epsilon of an episode as the number of random choices out of 2**32: it falls from start to least."""
    share = params[LEAST_EPSILON] + params[EPSILON_SPAN] * exp(-params[EPSILON_DECAY] * episode)
    return np.uint64(share * 4294967296.0)


@inlined
def epsilon_greedy(rng: np.uint64, threshold: np.uint64, actions: int, best: int) -> tuple[int, np.uint64]:
    """Returns the action taken, the best known or with chance epsilon any of `actions`, and the new random stream."""
    rng = next_random(rng)
    choice = best
    if rng >> np.uint64(32) < threshold:
        rng = next_random(rng)
        choice = scale(rng >> np.uint64(32), actions)
    return choice, rng


@inlined
def update(params: Reals, values: Reals, visits: Ints, which: int, target: float) -> None:
    """Moves a value towards its target: by the rate ALPHA, or with a POWER by (number of updates) ** -POWER."""
    rate = params[ALPHA]
    if params[POWER] != 0.0:
        visits[which] += 1
        rate = visits[which] ** -params[POWER]
    values[which] += rate * (target - values[which])
