"""What is learnt, in memory: a table that grows with the positions it meets, and one over the graph of a game.

Both know how to learn on, what they think of the actions of a state, and what playing greedily by them comes to.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from noughts.game import Game, State
from noughts.learn import exact
from noughts.learn.kernels import pairs, positions
from noughts.learn.kernels import updates as words
from noughts.learn.settings import Settings
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.playout import streams
from noughts.solving import PolicyValue, evaluate_weights, named_weights, solve
from noughts.solving.codes import plain_code
from noughts.solving.rewards import rewards_of
from noughts.solving.size import code_bits, require_flat

Arrays = dict[str, npt.NDArray[Any]]

FIRST_ROOM = 1 << 16
"""Pairs that a new table has room for."""

AT_ONCE = 20_000
"""Episodes in one call of a kernel: some hundredths of a second, so that Ctrl-C is heard."""


class Table(Protocol):
    """What a training run needs of a table."""

    counts: npt.NDArray[np.int64]

    def learn(self, episodes: int) -> None: ...
    def action_values(self, state: State) -> dict[int, float]: ...
    def greedy_values(self) -> list[PolicyValue]: ...
    def arrays(self) -> Arrays: ...
    def restore(self, arrays: Arrays) -> None: ...


def make_table(settings: Settings) -> Table:
    """An empty table for a run. TooLarge (a ValueError) if the game cannot be learnt in a table."""
    require_flat(settings.rules)
    return PositionTable(settings) if settings.symmetry else PairTable(settings)


class _Common:
    """Parameters, counters and the random stream of a run."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.game = Game(settings.rules)
        self.rewards = rewards_of(settings.rewards)
        self.params = np.zeros(words.PARAM_WORDS)
        self.params[[words.ALPHA, words.POWER, words.GAMMA]] = settings.alpha, settings.alpha_power, settings.gamma
        self.params[words.LEAST_EPSILON] = settings.epsilon_min
        self.params[words.EPSILON_SPAN] = settings.epsilon - settings.epsilon_min
        self.params[words.EPSILON_DECAY] = settings.epsilon_decay
        self.params[[words.WIN, words.DRAW, words.LOSS]] = [self.rewards.at_end(result) for result in (1, 0, -1)]
        self.params[words.STEP] = self.rewards.step
        self.counts = np.zeros(words.COUNT_WORDS, np.int64)
        self.stream = streams(settings.seed, 1)

    def _restore(self, arrays: Arrays) -> None:
        self.counts[:] = arrays["counts"]
        self.stream[:] = arrays["stream"]


class PairTable(_Common):
    """A value for each action of every position that was met: see `pairs`."""

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
        needed = int(self.counts[words.PAIRS]) + episodes * self._most_pairs
        if needed > len(self._values):
            room = max(needed, 2 * len(self._values))
            self._values = _grown(self._values, room)
            if self.settings.alpha_power:
                self._visits = _grown(self._visits, room)
        slots = 2 * (int(self.counts[words.POSITIONS]) + episodes * self._most_positions)
        if 2 * slots > len(self._slots):
            larger = np.zeros(2 << slots.bit_length(), np.int64)
            pairs.rehash(self._slots, larger)
            self._slots = larger

    def action_values(self, state: State) -> dict[int, float]:
        actions = state.legal_actions()
        start = pairs.find_values(self._slots, plain_code(state._facts, state._words, self._bits))
        values = [0.0] * len(actions) if start < 0 else self._values[start : start + len(actions)].tolist()
        return dict(zip(actions, values, strict=True))

    def greedy_values(self) -> list[PolicyValue]:
        """What playing greedily comes to against the random opponent."""
        plies = self.settings.rules.cells + 1
        totals = np.zeros(4)
        exact.walk_greedy(
            self.game._facts, self._row, self._bits, self.settings.seat, self.params, self._slots, self._values,
            np.zeros((plies, exact.PLY_WORDS), np.int64), np.zeros(plies), totals,
        )  # fmt: skip
        return [PolicyValue(*totals.tolist())]

    def arrays(self) -> Arrays:
        used = self._slots[::2] != 0
        size = int(self.counts[words.PAIRS])
        return {
            "counts": self.counts,
            "stream": self.stream,
            "codes": self._slots[::2][used] - 1,
            "starts": self._slots[1::2][used],
            "values": self._values[:size],
            "visits": self._visits[:size] if self.settings.alpha_power else self._visits,
        }

    def restore(self, arrays: Arrays) -> None:
        self._restore(arrays)
        codes = arrays["codes"]
        packed = np.zeros(2 << max(1, len(codes)).bit_length(), np.int64)
        packed[: 2 * len(codes) : 2] = codes + 1
        packed[1 : 2 * len(codes) : 2] = arrays["starts"]
        self._slots = np.zeros(2 * len(packed), np.int64)
        pairs.rehash(packed, self._slots)
        self._values = arrays["values"].copy()
        self._visits = arrays["visits"].copy()


class PositionTable(_Common):
    """A value for each position that can be made, symmetric ones as one: see `positions`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._solution = solve(self.game)
        self._graph = self._solution.atlas.graph
        size = len(self._graph.codes)
        self._values = np.zeros(size)
        self._visits = np.zeros(size if settings.alpha_power else 1, np.int32)

    def learn(self, episodes: int) -> None:
        graph = self._graph
        while episodes > 0:
            now = min(episodes, AT_ONCE)
            if self.settings.opponent == "self":
                positions.learn_by_self_play(
                    graph.first, graph.targets, graph.kinds, self.params, self.counts, self.stream,
                    self._values, self._visits, now,
                )  # fmt: skip
            else:
                positions.learn_positions(
                    graph.first, graph.targets, graph.kinds, self.settings.seat, self.params, self.counts, self.stream,
                    self._values, self._visits, now,
                )  # fmt: skip
            episodes -= now

    def action_values(self, state: State) -> dict[int, float]:
        actions, nodes = self._solution.atlas.children(state)
        return dict(zip(actions, self._values[nodes].tolist(), strict=True))

    def greedy_values(self) -> list[PolicyValue]:
        """What playing greedily comes to against the random opponent; after self-play from each seat, against perfect
        play."""
        graph = self._graph
        chosen = graph.targets == np.repeat(self.greedy_targets(), graph.moves)
        self_play = self.settings.opponent == "self"
        opponent = named_weights(self._solution, "perfect" if self_play else "random")
        return [
            evaluate_weights(
                self._solution,
                chosen.astype(np.float64),
                opponent,
                player=seat,
                rewards=self.rewards,
                discount=self.settings.gamma,
            )
            for seat in self.settings.seats
        ]

    def greedy_targets(self) -> npt.NDArray[np.int32]:
        """The position that is made from each position by playing greedily, -1 where the game is over."""
        graph = self._graph
        made = np.empty(len(graph.codes), np.int32)
        positions.greedy_targets(graph.first, graph.targets, graph.kinds, self._values, len(made), made)
        return made

    def guaranteed_values(self) -> tuple[int, int]:
        """How its games end at worst as player 0 and as player 1, whoever the opponent is."""
        made = self.greedy_targets()
        return exact.guaranteed_value(self._graph, made, 0), exact.guaranteed_value(self._graph, made, 1)

    def arrays(self) -> Arrays:
        return {
            "counts": self.counts,
            "stream": self.stream,
            "codes": self._graph.codes,
            "values": self._values,
            "visits": self._visits,
        }

    def restore(self, arrays: Arrays) -> None:
        self._restore(arrays)
        nodes = self._graph.find(arrays["codes"])
        self._values[nodes] = arrays["values"]
        if self.settings.alpha_power:
            self._visits[nodes] = arrays["visits"]


def _grown(array: Any, room: int) -> Any:
    larger = np.zeros(room, array.dtype)
    larger[: len(array)] = array
    return larger
