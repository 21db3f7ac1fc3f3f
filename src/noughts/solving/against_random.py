"""Exact values for an agent whose opponent picks every legal action with the same chance (expectimax)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from noughts.game import Game, State
from noughts.solving.graph import DRAWN, NOT_OVER, WON, Graph
from noughts.solving.rewards import PLAIN, Rewards, require_setting
from noughts.solving.solution import Atlas, solve

Values = npt.NDArray[np.float64]

TIE = 1e-9
"""Expected returns closer than this, relative to the largest reward, are equal: they differ by rounding only."""


class AgainstRandom:
    """What `solve_against_random` gives: the best expected return, discounted, of a step and all that follow."""

    def __init__(self, atlas: Atlas, player: int, rewards: Rewards, discount: float) -> None:
        self.game = atlas.game
        self.player = player
        self.rewards = rewards
        self.discount = discount
        self._atlas = atlas
        self._values = _expectimax(atlas.graph, player, rewards, discount)
        self._tie = TIE * max(map(abs, (rewards.win, rewards.draw, rewards.loss, rewards.step)))

    def __repr__(self) -> str:
        return f"<AgainstRandom {self.game.name} as player {self.player}>"

    def expected_return(self) -> float:
        """The expected return of a whole game. If the opponent begins, its first move is before the first step."""
        start = self.game.new_initial_state()
        if self.player == 0:
            return self.value(start)
        _, nodes = self._atlas.children(start)
        return float(self._values[nodes].mean())

    def value(self, state: State) -> float:
        """V*: the expected return from a state where the agent is to move, 0 if the game is over.

        Where the opponent is to move it is that of the step under way: the agent's part is done, the reply is to come.
        """
        return 0.0 if state.is_terminal() else float(self._values[self._atlas.node(state)])

    def action_values(self, state: State) -> dict[int, float]:
        """Q*: the expected return of every legal action of the agent, best play after it."""
        if not state.is_terminal() and state.current_player() != self.player:
            raise ValueError(f"the agent is player {self.player}, and player {1 - self.player} is to move")
        actions, nodes = self._atlas.children(state)
        return dict(zip(actions, self._values[nodes].tolist(), strict=True))

    def best_actions(self, state: State) -> list[int]:
        """The agent's actions with the best expected return, in rising order."""
        values = self.action_values(state)
        best = max(values.values(), default=0.0) - self._tie
        return [action for action, value in values.items() if value >= best]


def solve_against_random(
    game: Game,
    player: int = 0,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    *,
    tick: Callable[[float], None] | None = None,
) -> AgainstRandom:
    """V* and Q* of a flat game for the agent `player` against a uniformly random opponent.

    `discount`, in (0, 1], is for each step: a move of the agent and its reply.
    """
    require_setting(player, discount)
    return AgainstRandom(solve(game, tick=tick).atlas, player, rewards, discount)


def end_rewards(graph: Graph, player: int, rewards: Rewards) -> Values:
    """For every position that is over, the reward of the step that ended it; 0 elsewhere: float64[positions]."""
    by_kind = np.zeros(DRAWN + 1)
    by_kind[WON + player] = rewards.at_end(1)
    by_kind[WON + 1 - player] = rewards.at_end(-1)
    by_kind[DRAWN] = rewards.at_end(0)
    return by_kind[graph.kinds]


def _expectimax(graph: Graph, player: int, rewards: Rewards, discount: float) -> Values:
    """By position: V* at the agent's turn, the worth of the step under way at the opponent's, the reward at the end."""
    values = end_rewards(graph, player, rewards)
    for marks in reversed(range(len(graph.layers) - 1)):
        nodes, moves, starts = graph.open_layer(marks)
        if not len(nodes):
            continue
        targets = graph.targets[moves]
        if marks % 2 == player:
            values[nodes] = np.maximum.reduceat(values[targets], starts)
        else:
            goes_on = graph.kinds[targets] == NOT_OVER
            after = np.where(goes_on, rewards.step + discount * values[targets], values[targets])
            values[nodes] = np.add.reduceat(after, starts) / graph.moves[nodes]
    return values
