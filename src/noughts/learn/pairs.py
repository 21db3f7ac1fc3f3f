"""The Q-table of state-action pairs, which grows with the positions it meets: see `kernels.pairs`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.game import State, require_own
from noughts.learn.kernels import greedy, pairs
from noughts.learn.kernels import qlearning as q
from noughts.learn.settings import TrainingSettings
from noughts.learn.tables import Arrays, QTable, checked_array
from noughts.rules.kernels import layout as at
from noughts.solving import PolicyValue
from noughts.solving.codes import code_bits

FIRST_ROOM = 1 << 16
"""Number of pairs that a new table has room for."""


class PairTable(QTable):
    """Q(s, a) for each action of every position that the agent has met."""

    def __init__(self, settings: TrainingSettings) -> None:
        super().__init__(settings)
        rules = settings.rules
        self._bits = code_bits(rules)
        if self._bits * rules.cells > 62:
            raise ValueError(f"a position of {rules.name} does not fit into 62 bits; train with symmetry")
        self._row = np.zeros(int(self.game.facts[at.ROW_WORDS]), np.int64)
        mine = [rules.cells - ply for ply in range(rules.cells) if ply % 2 == settings.seat]
        self._most_positions = len(mine)
        self._most_pairs = sum(mine) * len(rules.places[settings.seat])
        self._slots = np.zeros(4, np.int64)
        self._values = np.zeros(FIRST_ROOM)
        self._visits = np.zeros(FIRST_ROOM if settings.alpha_power else 1, np.int32)

    def _learn(self, episodes: int) -> None:
        self._make_room(episodes)
        pairs.learn_pairs(
            self.game.facts, self._row, self._bits, self.settings.seat, self.params, self.counts, self.stream,
            self._slots, self._values, self._visits, episodes,
        )  # fmt: skip

    def _make_room(self, episodes: int) -> None:
        needed = int(self.counts[q.PAIRS]) + episodes * self._most_pairs
        if needed > len(self._values):
            room = max(needed, 2 * len(self._values))
            self._values = _grown(self._values, room)
            if self.settings.alpha_power:
                self._visits = _grown(self._visits, room)
        slots = 2 * (int(self.counts[q.POSITIONS]) + episodes * self._most_positions)
        if 2 * slots > len(self._slots):
            larger = np.zeros(2 << slots.bit_length(), np.int64)
            pairs.rehash(self._slots, larger)
            self._slots = larger

    def action_values(self, state: State) -> dict[int, float]:
        require_own(self.settings.rules, state, "this table")
        actions = state.legal_actions()
        with self.one_at_a_time:
            start = pairs.find_values(state.game.facts, state.words, self._bits, self._slots)
            values = [0.0] * len(actions) if start < 0 else self._values[start : start + len(actions)].tolist()
        return dict(zip(actions, values, strict=True))

    def greedy_policy_values(self) -> list[PolicyValue]:
        plies = self.settings.rules.cells + 1
        totals = np.zeros(greedy.TOTAL_WORDS)
        with self.one_at_a_time:
            greedy.evaluate_greedy(
                self.game.facts, self._row, self._bits, self.settings.seat, self.params, self._slots, self._values,
                np.zeros((plies, greedy.PLY_WORDS), np.int64), np.zeros(plies), totals,
            )  # fmt: skip
        return [PolicyValue(*totals.tolist())]

    def arrays(self) -> Arrays:
        used = self._slots[::2] != 0
        size = int(self.counts[q.PAIRS])
        return {
            "counts": self.counts,
            "stream": self.stream,
            "codes": self._slots[::2][used] - 1,
            "starts": self._slots[1::2][used],
            "values": self._values[:size],
            "visits": self._visits[:size] if self.settings.alpha_power else self._visits,
        }

    def restore(self, arrays: Arrays) -> None:
        with self.one_at_a_time:
            self._restore(arrays)

    def _restore(self, arrays: Arrays) -> None:
        self.restore_run(arrays)
        values = checked_array(arrays, "values", np.float64, None)
        codes = checked_array(arrays, "codes", np.int64, None)
        starts = checked_array(arrays, "starts", np.int64, len(codes))
        if self.counts[q.PAIRS] != len(values) or self.counts[q.POSITIONS] != len(codes):
            raise ValueError("its counts of positions and values do not match its arrays")
        # Compiled code reads one value for each action, from a position's start.
        if (codes < 0).any() or (starts < 0).any() or (starts > len(values) - self._action_counts(codes)).any():
            raise ValueError("the values of a position are outside the array")
        visits = self.restored_visits(arrays, len(values))
        packed = np.zeros(2 << max(1, len(codes)).bit_length(), np.int64)
        packed[: 2 * len(codes) : 2] = codes + 1
        packed[1 : 2 * len(codes) : 2] = starts
        self._slots = np.zeros(2 * len(packed), np.int64)
        pairs.rehash(packed, self._slots)
        self._values, self._visits = values, visits

    def _action_counts(self, codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Returns the number of actions in the positions of these codes. Raises ValueError if it cannot be the
        learner's turn."""
        rules, seat = self.settings.rules, self.settings.seat
        mine = [rules.marks.index(mark) for mark in rules.places[seat]]
        if (codes >> (self._bits * rules.cells)).any():
            raise ValueError("a position has more cells than the board")
        empty = np.zeros(len(codes), np.int64)
        used = np.zeros(len(codes), np.int64)
        for cell in range(rules.cells):
            digit = (codes >> (self._bits * cell)) & ((1 << self._bits) - 1)
            if len(digit) and digit.max() > len(rules.marks):
                raise ValueError("a position has marks that the game does not have")
            empty += digit == 0
            used |= np.where(digit > 0, np.int64(1) << np.maximum(digit - 1, 0), 0)
        if ((rules.cells - empty) % 2 != seat).any():
            raise ValueError("it has positions where it is not the learner's turn")
        if not rules.once:
            return empty * len(mine)
        free = np.zeros(len(codes), np.int64)
        for mark in mine:
            free += (used >> mark & 1) == 0
        return empty * free


def _grown(array: Any, room: int) -> Any:
    larger = np.zeros(room, array.dtype)
    larger[: len(array)] = array
    return larger
