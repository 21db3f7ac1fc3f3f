"""The Q-table of state-action pairs, which grows with the positions it meets: see `kernels.pairs`."""

from __future__ import annotations

from typing import Any

import numpy as np

from noughts.game import State
from noughts.learn.kernels import greedy, pairs
from noughts.learn.kernels import qlearning as q
from noughts.learn.settings import Settings
from noughts.learn.tables import AT_ONCE, Arrays, Learner
from noughts.rules.kernels import layout as at
from noughts.solving import PolicyValue
from noughts.solving.codes import code_bits

FIRST_ROOM = 1 << 16
"""Pairs that a new table has room for."""


class PairTable(Learner):
    """Q(s, a) for each action of every position that was met."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        rules = settings.rules
        self._bits = code_bits(rules)
        if self._bits * rules.cells > 62:
            raise ValueError(f"a position of {rules.name} does not fit into 62 bits; learn it with symmetry")
        self._row = np.zeros(int(self.game._facts[at.ROW_WORDS]), np.int64)
        mine = [rules.cells - ply for ply in range(rules.cells) if ply % 2 == settings.seat]
        self._most_positions = len(mine)
        self._most_pairs = sum(mine) * len(rules.places[settings.seat])
        self._slots = np.zeros(4, np.int64)
        self._values = np.zeros(FIRST_ROOM)
        self._visits = np.zeros(FIRST_ROOM if settings.alpha_power else 1, np.int32)

    def learn(self, episodes: int) -> None:
        while episodes > 0:
            now = min(episodes, AT_ONCE)
            self._make_room(now)
            pairs.learn_pairs(
                self.game._facts, self._row, self._bits, self.settings.seat, self.params, self.counts, self.stream,
                self._slots, self._values, self._visits, now,
            )  # fmt: skip
            episodes -= now

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
        actions = state.legal_actions()
        start = pairs.find_values(state._facts, state._words, self._bits, self._slots)
        values = [0.0] * len(actions) if start < 0 else self._values[start : start + len(actions)].tolist()
        return dict(zip(actions, values, strict=True))

    def greedy_policy_values(self) -> list[PolicyValue]:
        """What the greedy policy comes to against the random opponent."""
        plies = self.settings.rules.cells + 1
        totals = np.zeros(greedy.TOTAL_WORDS)
        greedy.evaluate_greedy(
            self.game._facts, self._row, self._bits, self.settings.seat, self.params, self._slots, self._values,
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
        self.restore_run(arrays)
        codes = arrays["codes"]
        packed = np.zeros(2 << max(1, len(codes)).bit_length(), np.int64)
        packed[: 2 * len(codes) : 2] = codes + 1
        packed[1 : 2 * len(codes) : 2] = arrays["starts"]
        self._slots = np.zeros(2 * len(packed), np.int64)
        pairs.rehash(packed, self._slots)
        self._values = arrays["values"].copy()
        self._visits = arrays["visits"].copy()


def _grown(array: Any, room: int) -> Any:
    larger = np.zeros(room, array.dtype)
    larger[: len(array)] = array
    return larger
