"""Q-tables in memory: what all kinds share.

A table can learn more episodes, give its values of a state's actions, and evaluate its greedy policy exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts._threads import OneAtATime
from noughts.game import Game, State
from noughts.learn.kernels import qlearning as q
from noughts.learn.settings import MOST_EPISODES, TrainingSettings
from noughts.rules.kernels.playout import streams
from noughts.solving import PolicyValue, Rewards, rewards_of
from noughts.solving.codes import require_flat

Arrays = dict[str, npt.NDArray[Any]]

AT_ONCE = 20_000
"""Episodes per call of a kernel: a few hundredths of a second, so that Ctrl-C is noticed."""


class QTable:
    """A Q-table with the parameters, counters and random stream of its run. Each kind of table overrides the rest."""

    def __init__(self, settings: TrainingSettings) -> None:
        self.settings = settings
        self.game: Game = settings.game
        self.rewards: Rewards = rewards_of(settings.rewards)
        self.params: npt.NDArray[np.float64] = np.zeros(q.PARAM_WORDS)
        self.params[[q.ALPHA, q.POWER, q.GAMMA]] = settings.alpha, settings.alpha_power, settings.gamma
        self.params[q.LEAST_EPSILON] = settings.epsilon_min
        self.params[q.EPSILON_SPAN] = settings.epsilon - settings.epsilon_min
        self.params[q.EPSILON_DECAY] = settings.epsilon_decay
        self.params[[q.WIN, q.DRAW, q.LOSS]] = [self.rewards.at_end(result) for result in (1, 0, -1)]
        self.params[q.STEP] = self.rewards.step
        self.counts: npt.NDArray[np.int64] = np.zeros(q.COUNT_WORDS, np.int64)
        self.stream: npt.NDArray[np.uint64] = streams(settings.seed, 1)
        self.one_at_a_time: OneAtATime = OneAtATime()

    def learn(self, episodes: int) -> None:
        """Plays and learns from `episodes` more episodes. Only one thread at a time."""
        while episodes > 0:
            now = min(episodes, AT_ONCE)
            with self.one_at_a_time:
                self._learn(now)
            episodes -= now

    def _learn(self, episodes: int) -> None:
        raise NotImplementedError

    def action_values(self, state: State) -> dict[int, float]:
        """Returns the value of each legal action."""
        raise NotImplementedError

    def greedy_policy_values(self) -> list[PolicyValue]:
        """Returns the exact values of the greedy policy against the random opponent; after self-play, of each seat
        against perfect play."""
        raise NotImplementedError

    def values_against_random(self) -> list[PolicyValue]:
        """Returns the exact values of the greedy policy against the random opponent, for each learned seat."""
        return self.greedy_policy_values()

    def guaranteed_values(self) -> tuple[int, int]:
        """Returns the guaranteed result of the greedy policy as player 0 and as player 1, against a best response."""
        raise ValueError('only self-play learns a policy for both seats; train with opponent="self"')

    def arrays(self) -> Arrays:
        """Returns everything that the run continues from."""
        raise NotImplementedError

    def restore(self, arrays: Arrays) -> None:
        """Restores what `arrays` gave. Raises ValueError if they are invalid, because compiled code trusts them."""
        raise NotImplementedError

    def restore_run(self, arrays: Arrays) -> None:
        counts = checked_array(arrays, "counts", np.int64, q.COUNT_WORDS)
        stream = checked_array(arrays, "stream", np.uint64, 1)
        if counts.min() < 0 or counts.max() > MOST_EPISODES:
            raise ValueError("its counts are negative or too large")
        if counts[q.EPISODE] > self.settings.episodes:
            raise ValueError(f"it has completed {counts[q.EPISODE]} episodes of {self.settings.episodes}")
        self.counts[:], self.stream[:] = counts, stream

    def restored_visits(self, arrays: Arrays, size: int) -> npt.NDArray[np.int32]:
        """Returns the number of updates of each of `size` values; a single word if the learning rate does not need
        it."""
        visits = checked_array(arrays, "visits", np.int32, size if self.settings.alpha_power else None)
        if len(visits) and visits.min() < 0:
            raise ValueError("visits cannot be negative")
        return visits if self.settings.alpha_power else np.zeros(1, np.int32)


def make_table(settings: TrainingSettings, *, most: int | None = None) -> QTable:
    """Returns an empty Q-table for a run. Raises TooLarge (a ValueError) if the game is too large for a table.

    most: maximum number of positions, for untrusted settings.
    """
    require_flat(settings.rules)
    # Each kind of table has its own kernels, so that a run compiles only those it needs.
    if settings.symmetry:
        from noughts.learn.afterstates import AfterstateTable

        return AfterstateTable(settings, most)
    from noughts.learn.pairs import PairTable

    return PairTable(settings)


def checked_array(arrays: Arrays, name: str, kind: Any, *shape: int | None) -> npt.NDArray[Any]:
    """Returns the array of this name. Raises ValueError unless it has this type and shape (None for any length)."""
    array = arrays.get(name)
    if array is None or array.dtype != kind or array.ndim != len(shape):
        raise ValueError(f"{name} must be an array of {np.dtype(kind).name} with {len(shape)} axes")
    if any(wanted is not None and size != wanted for size, wanted in zip(array.shape, shape, strict=True)):
        raise ValueError(f"{name} has the shape {array.shape}; it must have {shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} contains a number that is not finite")
    return array
