"""What a policy comes to, exactly: the chances of winning, drawing and losing, and the expected return.

The chance of every position is followed from the start, layer by layer. If both sides are named, symmetric positions
have the same future and are followed as one, on the graph of the game. A policy given as a function may treat
symmetric positions differently, so there every position that it meets is asked for by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Literal

import numpy as np
import numpy.typing as npt

from noughts.game import Game, State
from noughts.solving.against_random import end_rewards
from noughts.solving.graph import DRAWN, NOT_OVER, WON
from noughts.solving.rewards import PLAIN, Rewards, require_setting
from noughts.solving.solution import Solution, solve

Choice = int | Mapping[int, float]
Policy = Literal["random", "perfect"] | Callable[[State], Choice]
"""How a side plays: "random" is uniform over the legal actions, "perfect" uniform over `Solution.preferred_actions`. A
function gives an action, or the chance of each action; it is asked once for each position that it can meet."""

Chances = npt.NDArray[np.float64]


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
    chances = _follow_states(solution, sides, tick)
    return _judge(solution, chances, player, rewards, discount)


def named_weights(solution: Solution, name: str) -> Chances:
    """How a named side plays on the graph of a game: float64[moves], as `evaluate_weights` wants it."""
    if name == "random":
        return np.ones(len(solution.atlas.graph.targets))
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
    return _judge(solution, _follow_graph(solution, sides), player, rewards, discount)


def _judge(solution: Solution, chances: Chances, player: int, rewards: Rewards, discount: float) -> PolicyValue:
    """From the chance that each position of the graph is met to what the agent gets."""
    graph = solution.atlas.graph
    by_kind = np.zeros(DRAWN + 1)
    np.add.at(by_kind, graph.kinds, chances)
    # Before a position with m marks that the agent's move or the reply to it made, so many steps were complete.
    steps = np.maximum((graph.marks.astype(np.int64) - 1 - player) // 2, 0)
    # A step that does not end the game pays when the agent is to move again.
    after_step = (graph.kinds == NOT_OVER) & (graph.marks % 2 == player) & (graph.marks >= 2)
    paid = np.where(after_step, rewards.step, end_rewards(graph, player, rewards))
    return PolicyValue(
        win=float(by_kind[WON + player]),
        draw=float(by_kind[DRAWN]),
        loss=float(by_kind[WON + 1 - player]),
        expected_return=float((chances * paid * discount**steps).sum()),
    )


def _follow_graph(solution: Solution, sides: tuple[Chances, Chances]) -> Chances:
    """The chance that each position of the graph is met, for two sides given by their weights."""
    graph = solution.atlas.graph
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


def _follow_states(solution: Solution, sides: tuple[Policy, Policy], tick: Callable[[float], None] | None) -> Chances:
    """The same where a side is a function; positions are told apart by their text."""
    atlas = solution.atlas
    chances = np.zeros(len(atlas.graph.codes))
    chances[0] = 1.0
    start = solution.game.new_initial_state()
    layer: dict[str, tuple[State, float]] = {start.to_string(): (start, 1.0)}
    cells = solution.game.rules.cells
    for marks in range(cells):
        after: dict[str, tuple[State, float]] = {}
        for done, (state, chance) in enumerate(layer.values()):
            nodes = dict(zip(*atlas.children(state), strict=True))
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
