"""Policies and their exact values: the best policy against a random opponent, and what a given policy comes to.

Against an opponent who picks every legal action with the same chance, the values of states and actions are found by
expectimax, backwards through the graph of the game.

To evaluate a policy, the chance that each position is reached is followed from the start, layer by layer. If both sides
are named, symmetric positions have the same future and are followed as one, on the graph. A policy given as a function
may treat symmetric positions differently, so there every position that it meets is asked for by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Literal

import numpy as np
import numpy.typing as npt

from noughts.game import Game, State
from noughts.solving.graph import Graph
from noughts.solving.kernels.codes import DRAWN, NOT_OVER, WON
from noughts.solving.rewards import PLAIN, Rewards, require_setting
from noughts.solving.solution import Solution, solve

Values = npt.NDArray[np.float64]
Chances = npt.NDArray[np.float64]

Choice = int | Mapping[int, float]
Policy = Literal["random", "perfect"] | Callable[[State], Choice]
"""How a side plays: "random" is uniform over the legal actions, "perfect" uniform over `Solution.preferred_actions`. A
function gives an action, or the chance of each action; it is asked once for each position that it can meet."""

TIE = 1e-9
"""Expected returns closer than this, relative to the largest reward, are equal: they differ by rounding only."""


class AgainstRandom:
    """What `solve_against_random` gives: the best expected return, discounted, of a step and all that follow."""

    def __init__(self, solution: Solution, player: int, rewards: Rewards, discount: float) -> None:
        self.game = solution.game
        self.player = player
        self.rewards = rewards
        self.discount = discount
        self._graph = solution.graph
        self._values = _expectimax(solution.graph, player, rewards, discount)
        self._tie = TIE * max(map(abs, (rewards.win, rewards.draw, rewards.loss, rewards.step)))

    def __repr__(self) -> str:
        return f"<AgainstRandom {self.game.name} as player {self.player}>"

    def expected_return(self) -> float:
        """The expected return of a whole game. If the opponent begins, its first move is before the first step."""
        start = self.game.new_initial_state()
        if self.player == 0:
            return self.value(start)
        _, nodes = self._graph.children(start)
        return float(self._values[nodes].mean())

    def value(self, state: State) -> float:
        """V*: the expected return from a state where the agent is to move, 0 if the game is over.

        Where the opponent is to move it is that of the step under way: the agent's part is done, the reply is to come.
        """
        return 0.0 if state.is_terminal() else float(self._values[self._graph.node(state)])

    def action_values(self, state: State) -> dict[int, float]:
        """Q*: the expected return of every legal action of the agent, best play after it."""
        if not state.is_terminal() and state.current_player() != self.player:
            raise ValueError(f"the agent is player {self.player}, and player {1 - self.player} is to move")
        actions, nodes = self._graph.children(state)
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
    return AgainstRandom(solve(game, tick=tick), player, rewards, discount)


def best_return(
    game: Game, opponent: Literal["random", "perfect"], player: int = 0, rewards: Rewards = PLAIN, discount: float = 1.0
) -> float:
    """The best expected return that any policy can have as `player` against a named opponent."""
    require_setting(player, discount)
    solution = solve(game)
    graph, weights = solution.graph, named_weights(solution, opponent)
    values = _expectimax(graph, player, rewards, discount, weights)
    if player == 0:
        return float(values[0])
    _, moves, _ = graph.open_layer(0)  # the opponent's first move is before the first step
    return float(np.average(values[graph.targets[moves]], weights=weights[moves]))


def _end_rewards(graph: Graph, player: int, rewards: Rewards) -> Values:
    """For every position that is over, the reward of the step that ended it; 0 elsewhere: float64[positions]."""
    by_kind = np.zeros(DRAWN + 1)
    by_kind[WON + player] = rewards.at_end(1)
    by_kind[WON + 1 - player] = rewards.at_end(-1)
    by_kind[DRAWN] = rewards.at_end(0)
    return by_kind[graph.kinds]


def _expectimax(graph: Graph, player: int, rewards: Rewards, discount: float, weights: Chances | None = None) -> Values:
    """By position: V* at the agent's turn, the worth of the step under way at the opponent's, the reward at the end.

    weights: how the opponent plays, as `evaluate_weights` wants it; uniformly if there are none.
    """
    values = _end_rewards(graph, player, rewards)
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
            if weights is None:
                values[nodes] = np.add.reduceat(after, starts) / graph.moves[nodes]
            else:
                values[nodes] = np.add.reduceat(after * weights[moves], starts) / np.add.reduceat(
                    weights[moves], starts
                )
    return values


@dataclass(frozen=True)
class PolicyValue:
    """Chances of the agent's win, draw and loss, which sum to 1, and its expected return, discounted."""

    win: float
    draw: float
    loss: float
    expected_return: float


def evaluate_policy(
    game: Game,
    policy: Policy,
    opponent: Policy = "random",
    *,
    player: int = 0,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    tick: Callable[[float], None] | None = None,
) -> PolicyValue:
    """What `policy` comes to as `player` against `opponent`, over all the games they can play, each with its chance."""
    require_setting(player, discount)
    for side in (policy, opponent):
        if isinstance(side, str) and side not in ("random", "perfect"):
            raise ValueError(f"a policy is 'random', 'perfect' or a function of a state, not {side!r}")
    solution = solve(game)
    sides = (policy, opponent) if player == 0 else (opponent, policy)
    if isinstance(policy, str) and isinstance(opponent, str):
        weights = (named_weights(solution, policy), named_weights(solution, opponent))
        return evaluate_weights(solution, *weights, player=player, rewards=rewards, discount=discount)
    chances = _reach_by_state(solution, sides, tick)
    return _policy_value(solution, chances, player, rewards, discount)


def named_weights(solution: Solution, name: str) -> Chances:
    """How a named side plays on the graph of a game: float64[moves], as `evaluate_weights` wants it."""
    if name == "random":
        return np.ones(len(solution.graph.targets))
    return solution.preferred_edges.astype(np.float64)


def evaluate_weights(
    solution: Solution,
    policy: Chances,
    opponent: Chances,
    *,
    player: int = 0,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
) -> PolicyValue:
    """The same as `evaluate_policy` for sides that treat symmetric positions alike.

    Each is float64[moves] over the moves of the graph: a move is chosen with a chance in proportion to its weight
    among those of its position.
    """
    sides = (policy, opponent) if player == 0 else (opponent, policy)
    return _policy_value(solution, _reach_on_graph(solution, sides), player, rewards, discount)


def _policy_value(solution: Solution, chances: Chances, player: int, rewards: Rewards, discount: float) -> PolicyValue:
    """What the agent gets if each position of the graph is reached with its chance."""
    graph = solution.graph
    by_kind = np.zeros(DRAWN + 1)
    np.add.at(by_kind, graph.kinds, chances)
    # Before a position with m marks that the agent's move or the reply to it made, so many steps were complete.
    steps = np.maximum((graph.marks.astype(np.int64) - 1 - player) // 2, 0)
    # A step that does not end the game pays when the agent is to move again.
    after_step = (graph.kinds == NOT_OVER) & (graph.marks % 2 == player) & (graph.marks >= 2)
    paid = np.where(after_step, rewards.step, _end_rewards(graph, player, rewards))
    return PolicyValue(
        win=float(by_kind[WON + player]),
        draw=float(by_kind[DRAWN]),
        loss=float(by_kind[WON + 1 - player]),
        expected_return=float((chances * paid * discount**steps).sum()),
    )


def _reach_on_graph(solution: Solution, sides: tuple[Chances, Chances]) -> Chances:
    """The chance that each position of the graph is reached, for two sides given by their weights."""
    graph = solution.graph
    chances = np.zeros(len(graph.codes))
    chances[0] = 1.0
    for marks in range(len(graph.layers) - 1):
        nodes, moves, starts = graph.open_layer(marks)
        if not len(nodes):
            break
        chosen = sides[marks % 2][moves]
        share = chances[nodes] / np.add.reduceat(chosen, starts)
        np.add.at(chances, graph.targets[moves], chosen * np.repeat(share, graph.moves[nodes]))
    return chances


def _reach_by_state(solution: Solution, sides: tuple[Policy, Policy], tick: Callable[[float], None] | None) -> Chances:
    """The same where a side is a function; positions are told apart by their text."""
    graph = solution.graph
    chances = np.zeros(len(graph.codes))
    chances[0] = 1.0
    start = solution.game.new_initial_state()
    layer: dict[str, tuple[State, float]] = {start.to_string(): (start, 1.0)}
    cells = solution.game.rules.cells
    for marks in range(cells):
        after: dict[str, tuple[State, float]] = {}
        for done, (state, chance) in enumerate(layer.values()):
            nodes = dict(zip(*graph.children(state), strict=True))
            for action, share in _choices(solution, sides[marks % 2], state).items():
                chances[nodes[action]] += chance * share
                child = state.child(action)
                if not child.is_terminal():
                    key = child.to_string()
                    after[key] = (child, chance * share + (after[key][1] if key in after else 0.0))
            if tick:
                tick((marks + done / len(layer)) / cells)
        layer = after
    return chances


def _choices(solution: Solution, side: Policy, state: State) -> dict[int, float]:
    """The chance of each action that a side may choose; ValueError if a function's answer is none of the rules'."""
    if isinstance(side, str):
        actions = state.legal_actions() if side == "random" else solution.preferred_actions(state)
        return dict.fromkeys(actions, 1 / len(actions))
    choice = side(state)
    if not isinstance(choice, Mapping):
        choice = {choice: 1.0}
    legal = set(state.legal_actions())
    for action, chance in choice.items():
        if action not in legal:
            raise ValueError(f"the policy chose action {action!r} in {state.to_string()}, which is not legal there")
        if not chance >= 0:
            raise ValueError(f"the policy gave action {action} in {state.to_string()} the chance {chance}")
    if not isclose(sum(choice.values()), 1.0, abs_tol=1e-9):
        raise ValueError(f"the policy's chances in {state.to_string()} sum to {sum(choice.values())}, not to 1")
    return {int(action): float(chance) for action, chance in choice.items() if chance > 0}
