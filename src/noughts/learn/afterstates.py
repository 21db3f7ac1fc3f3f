"""The Q-table of afterstates, over the graph of a game: see `kernels.afterstates`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from noughts.game import State
from noughts.learn.kernels import afterstates
from noughts.learn.settings import TrainingSettings
from noughts.learn.tables import Arrays, QTable, checked_array
from noughts.solving import PolicyValue, solve
from noughts.solving.graph import Graph, Layer
from noughts.solving.kernels.codes import WON
from noughts.solving.policies import evaluate_weights, named_weights


class AfterstateTable(QTable):
    """Q-values of afterstates, one for each position that a player can create, up to symmetry."""

    def __init__(self, settings: TrainingSettings, most: int | None = None) -> None:
        super().__init__(settings)
        self._solution = solve(self.game, most=most)
        self._graph = self._solution.graph
        size = len(self._graph.codes)
        self._values = np.zeros(size)
        self._visits = np.zeros(size if settings.alpha_power else 1, np.int32)

    def _learn(self, episodes: int) -> None:
        graph = self._graph
        if self.settings.opponent == "self":
            afterstates.learn_by_self_play(
                graph.first, graph.targets, graph.kinds, self.params, self.counts, self.stream,
                self._values, self._visits, episodes,
            )  # fmt: skip
        else:
            afterstates.learn_afterstates(
                graph.first, graph.targets, graph.kinds, self.settings.seat, self.params, self.counts, self.stream,
                self._values, self._visits, episodes,
            )  # fmt: skip

    def action_values(self, state: State) -> dict[int, float]:
        actions, nodes = self._graph.children(state)
        return dict(zip(actions, self._values[nodes].tolist(), strict=True))

    def greedy_policy_values(self) -> list[PolicyValue]:
        return self._values_against("perfect" if self.settings.opponent == "self" else "random")

    def values_against_random(self) -> list[PolicyValue]:
        return self._values_against("random")

    def _values_against(self, name: str) -> list[PolicyValue]:
        graph = self._graph
        chosen = graph.targets == np.repeat(self.greedy_targets(), graph.moves)
        opponent = named_weights(self._solution, name)
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
        """Returns the position that the greedy policy moves to from each position, -1 where the game is over:
        int32[positions].
        """
        graph = self._graph
        made = np.empty(len(graph.codes), np.int32)
        afterstates.greedy_targets(graph.first, graph.targets, graph.kinds, self._values, len(made), made)
        return made

    def guaranteed_values(self) -> tuple[int, int]:
        made = self.greedy_targets()
        return _guaranteed_value(self._graph, made, 0), _guaranteed_value(self._graph, made, 1)

    def arrays(self) -> Arrays:
        return {
            "counts": self.counts,
            "stream": self.stream,
            "codes": self._graph.codes,
            "values": self._values,
            "visits": self._visits,
        }

    def restore(self, arrays: Arrays) -> None:
        self.restore_run(arrays)
        size = len(self._graph.codes)
        codes = checked_array(arrays, "codes", np.int64, size)
        nodes = self._graph.find(codes)
        if len(np.unique(nodes)) != size:
            raise ValueError("a position has two values")
        self._values[nodes] = checked_array(arrays, "values", np.float64, size)
        visits = self.restored_visits(arrays, size)
        if self.settings.alpha_power:
            self._visits[nodes] = visits


def _guaranteed_value(graph: Graph, made: npt.NDArray[np.int32], seat: int) -> int:
    """Returns the result of a policy in `seat` against a best response: 1 a win, 0 a draw, -1 a loss.

    made: int32[positions], the position that the policy moves to from each.
    """
    values = np.zeros(len(graph.codes), np.int64)
    values[graph.kinds == WON + seat] = 1
    values[graph.kinds == WON + 1 - seat] = -1

    def combine(after: npt.NDArray[np.int64], layer: Layer) -> npt.NDArray[np.int64]:
        return values[made[layer.nodes]] if layer.marks % 2 == seat else -layer.max(-after)

    return int(graph.fold(values, combine)[0])
