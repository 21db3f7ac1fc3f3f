"""Q-tables in memory: what they can do, and what all of them have.

They know how to learn on, what they think of the actions of a state, and what their greedy policy comes to.
"""

from __future__ import annotations

from typing import Any, Protocol

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
"""Episodes in one call of a kernel: some hundredths of a second, so that Ctrl-C is heard."""


class QTable(Protocol):
    """What a training run needs of a Q-table."""

    counts: npt.NDArray[np.int64]

    def learn(self, episodes: int) -> None: ...
    def action_values(self, state: State) -> dict[int, float]: ...
    def greedy_policy_values(self) -> list[PolicyValue]: ...
    def values_against_random(self) -> list[PolicyValue]: ...
    def guaranteed_values(self) -> tuple[int, int]: ...
    def arrays(self) -> Arrays: ...
    def restore(self, arrays: Arrays) -> None:
        """Take back what `arrays` gave; ValueError if they are not that, since compiled code trusts them."""


def make_table(settings: TrainingSettings, *, most: int | None = None) -> QTable:
    """Returns an empty Q-table for a run. TooLarge (a ValueError) if the game cannot be learnt in a table.

    most: the most positions that the table may have, for settings that somebody else wrote.
    """
    require_flat(settings.rules)
    # Each has kernels of its own, and a run compiles only what it needs.
    if settings.symmetry:
        from noughts.learn.afterstates import AfterstateTable

        return AfterstateTable(settings, most)
    from noughts.learn.pairs import PairTable

    return PairTable(settings)


class Learner:
    """Parameters, counters and the random stream of a run."""

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
        """Plays and learns from so many more episodes. One thread at a time does."""
        while episodes > 0:
            now = min(episodes, AT_ONCE)
            with self.one_at_a_time:
                self._learn(now)
            episodes -= now

    def _learn(self, episodes: int) -> None:
        raise NotImplementedError

    def guaranteed_values(self) -> tuple[int, int]:
        """Returns the least that the greedy policy gets as player 0 and as player 1, against a best response."""
        raise ValueError('only self-play learns a policy for both seats; train with opponent="self"')

    def restore_run(self, arrays: Arrays) -> None:
        counts = taken(arrays, "counts", np.int64, q.COUNT_WORDS)
        stream = taken(arrays, "stream", np.uint64, 1)
        if counts.min() < 0 or counts.max() > MOST_EPISODES:
            raise ValueError("its counts are negative, or larger than any run can make them")
        if counts[q.EPISODE] > self.settings.episodes:
            raise ValueError(f"it has {counts[q.EPISODE]} episodes behind it, of {self.settings.episodes}")
        self.counts[:], self.stream[:] = counts, stream

    def restored_visits(self, arrays: Arrays, size: int) -> npt.NDArray[np.int32]:
        """How often each of so many values was updated; a single word if the learning rate does not ask."""
        visits = taken(arrays, "visits", np.int32, size if self.settings.alpha_power else None)
        if len(visits) and visits.min() < 0:
            raise ValueError("visits cannot be negative")
        return visits if self.settings.alpha_power else np.zeros(1, np.int32)


def taken(arrays: Arrays, name: str, kind: Any, *shape: int | None) -> npt.NDArray[Any]:
    """The array of this name, if it has this kind of numbers and this shape (None for any length); else ValueError."""
    array = arrays.get(name)
    if array is None or array.dtype != kind or array.ndim != len(shape):
        raise ValueError(f"{name} should be an array of {np.dtype(kind).name} with {len(shape)} axes")
    if any(wanted is not None and size != wanted for size, wanted in zip(array.shape, shape, strict=True)):
        raise ValueError(f"{name} has the shape {array.shape}, and should have {shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is no finite number")
    return array
