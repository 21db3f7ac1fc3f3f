"""Decides whether a game is worth asking about, by exact figures over its whole graph.

A *lookahead player* sees wins and losses a number of plies ahead, takes the best, and chooses at random among equals.
Its losses are counted in the positions that random play meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noughts.game import State
from noughts.solving import Solution
from noughts.solving.graph import Graph
from noughts.solving.kernels.codes import DRAWN, NOT_OVER, WON

Values = npt.NDArray[np.int8]

DEEPEST = 6
"""Maximum plies of lookahead that are distinguished; positions that need more are "deeper"."""


class Insight:
    """Facts about a whole solved game: the values of positions, and how lookahead players see them."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.graph: Graph = solution.graph
        self.values: npt.NDArray[np.int8] = solution.values
        self.open: npt.NDArray[np.intp] = np.flatnonzero(self.graph.kinds == NOT_OVER)
        self._seen = [self._ended()]

    def _ended(self) -> Values:
        """Returns the view of a player who sees only the board: finished games, for the player who would move next."""
        graph = self.graph
        ended = np.where(graph.kinds - WON == graph.marks % 2, 1, -1).astype(np.int8)
        ended[(graph.kinds == NOT_OVER) | (graph.kinds == DRAWN)] = 0
        return ended

    def lookahead(self, plies: int) -> Values:
        """Returns the apparent value of each position to a lookahead of `plies` plies: int8[positions]."""
        while len(self._seen) <= plies:
            seen = self._seen[0].copy()
            after = -self._seen[-1][self.graph.targets]
            seen[self.open] = np.maximum.reduceat(after, self.graph.first[self.open])
            self._seen.append(seen)
        return self._seen[plies]

    def depth_needed(self, state: State) -> int:
        """Returns the minimum plies of lookahead for an error-free choice in this position; DEEPEST + 1 for more."""
        _, nodes = self.graph.children(state)
        values = -self.values[nodes]
        for plies in range(1, DEEPEST + 1):
            after = -self.lookahead(plies - 1)[nodes]
            if np.all(values[after == after.max()] == values.max()):
                return plies
        return DEEPEST + 1

    @cached_property
    def reach_chances(self) -> npt.NDArray[np.float64]:
        """Returns the chance that random play meets each position: float64[positions]."""
        anything = np.ones(len(self.graph.targets))
        return self.graph.flow(anything, anything)

    @cached_property
    def regret(self) -> Values:
        """Returns the value that each move gives away: int8[moves]."""
        best = np.repeat(self.values[self.open], self.graph.moves[self.open])
        lost: Values = best + self.values[self.graph.targets]
        return lost

    def given_away(self, plies: int) -> float:
        """Returns the value that a lookahead player gives away in the positions of a random game; 0 plies: a random
        player."""
        graph, first = self.graph, self.graph.first[self.open]
        if plies == 0:
            mean = np.add.reduceat(self.regret.astype(np.float64), first) / graph.moves[self.open]
        else:
            after = -self.lookahead(plies - 1)[graph.targets]
            chosen = after == np.repeat(np.maximum.reduceat(after, first), graph.moves[self.open])
            mean = np.add.reduceat(self.regret * chosen.astype(np.float64), first) / np.add.reduceat(
                chosen.astype(np.float64), first
            )
        return float((mean * self.reach_chances[self.open]).sum())

    def figures(self) -> Figures:
        graph, met = self.graph, self.reach_chances
        mattering = np.maximum.reduceat(self.regret, graph.first[self.open]) > 0
        return Figures(
            value=int(self.values[0]),
            distance=self.solution.distance(self.solution.game.new_initial_state()),
            random_wins=(float(met[graph.kinds == WON].sum()), float(met[graph.kinds == WON + 1].sum())),
            random_draws=float(met[graph.kinds == DRAWN].sum()),
            matters=float(met[self.open[mattering]].sum() / met[self.open].sum()),
            given_away={plies: self.given_away(plies) for plies in (0, 2, 4)},
        )


@dataclass(frozen=True)
class Figures:
    """Figures of a game. value, distance: of the start. random_wins, random_draws: shares of random games. matters:
    share of the positions of random play where some move is worse than another. given_away: see `Insight.given_away`,
    by plies."""

    value: int
    distance: int
    random_wins: tuple[float, float]
    random_draws: float
    matters: float
    given_away: dict[int, float]


FILTERS: Sequence[tuple[str, Callable[[Figures], bool]]] = (
    ("one side hardly ever gets its result", lambda f: min(f.random_wins) < 0.01),
    ("random games are nearly always drawn", lambda f: f.random_draws > 0.90),
    ("it ends in three moves", lambda f: f.value != 0 and f.distance <= 3),
    ("the choice seldom matters", lambda f: f.matters < 0.20),
    ("random play is good enough", lambda f: f.given_away[0] < 0.25),
    ("two plies are enough", lambda f: f.given_away[2] < 0.10),
    ("lookahead does not help", lambda f: f.given_away[4] > 0.98 * f.given_away[0]),
)
"""Reasons not to ask about a game."""


def refusal(figures: Figures) -> str | None:
    """Returns why a game is not worth asking about; None if it is."""
    return next((why for why, fails in FILTERS if fails(figures)), None)
