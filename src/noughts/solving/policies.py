"""Computes exact values of policies, and best responses to them.

The best response is found by expectimax, backwards through the graph of the game, or, for a policy given as a function,
through the positions that it can meet.

To evaluate a policy, the chance that each position is reached is followed from the start, layer by layer. If both sides
are named, symmetric positions have the same future and are followed as one, on the graph. A policy given as a function
may treat symmetric positions differently, so it is called for every position that it meets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Literal

import numpy as np
import numpy.typing as npt

from noughts.clock import Clock
from noughts.game import Game, State, require_own
from noughts.solving.graph import Graph, Layer
from noughts.solving.kernels.codes import DRAWN, NOT_OVER, WON
from noughts.solving.rewards import PLAIN, Rewards, require_setting
from noughts.solving.solution import Solution, solve

Values = npt.NDArray[np.float64]
Chances = npt.NDArray[np.float64]

Choice = int | Mapping[int, float]
Policy = Literal["random", "perfect"] | Callable[[State], Choice]
"""A side's play: "random" is uniform over the legal actions, "perfect" uniform over `Solution.preferred_actions`. A
function returns an action, or the chance of each action; it is called once for each position that it can meet."""

Tick = Callable[[float], None]
"""A function called with the share of the work done."""

TIE = 1e-9
"""Expected returns closer than this, relative to the largest reward, count as equal: they differ only by rounding."""


class BestResponse:
    """The best play from one seat against a known opponent: maximises the discounted expected return. `best_response`
    returns one. It is also a player, with `choose`.

    >>> import noughts
    >>> best = noughts.best_response("classic", "random", seat=1)
    >>> best, round(best.expected_return(), 4)
    (<BestResponse classic as player 1>, 0.9249)
    """

    def __init__(
        self, game: Game, opponent: Opponent, seat: int, rewards: Rewards, discount: float, tick: Tick | None = None
    ) -> None:
        self.game: Game = game
        self.seat: int = seat
        self.rewards: Rewards = rewards
        self.discount: float = discount
        self._opponent = opponent
        self._tie = TIE * max(map(abs, (rewards.win, rewards.draw, rewards.loss, rewards.step)))
        self._worth = opponent.worth(seat, rewards, discount, tick)

    def __repr__(self) -> str:
        return f"<BestResponse {self.game.name} as player {self.seat}>"

    def expected_return(self) -> float:
        """Returns the expected return of a whole game. If the opponent begins, its first move comes before the first
        step.
        """
        start = self.game.new_initial_state()
        if self.seat == 0:
            return self._worth(start)
        chances = self._opponent.chances(start)
        return sum(chance * self._worth(start.child(action)) for action, chance in chances.items())

    def value(self, state: State) -> float:
        """Returns V*: the expected return from a state where the agent is to move, 0 if the game is over.

        If the opponent is to move, returns the value of the current step, in which the reply is still to come.
        """
        return 0.0 if state.is_terminal() else self._worth(state)

    def action_values(self, state: State) -> dict[int, float]:
        """Returns Q*: the expected return of every legal action of the agent, with best play after it."""
        if not state.is_terminal() and state.current_player() != self.seat:
            raise ValueError(f"the agent is player {self.seat}, but player {1 - self.seat} is to move")
        require_own(self.game.rules, state, "this best response")
        return {action: self._worth(state.child(action)) for action in state.legal_actions()}

    def best_actions(self, state: State) -> list[int]:
        """Returns the agent's actions with the best expected return, in rising order."""
        values = self.action_values(state)
        best = max(values.values(), default=0.0) - self._tie
        return [action for action, value in values.items() if value >= best]

    def action(self, state: State) -> int:
        """Returns the first of the best actions. Raises ValueError if the game is over."""
        if state.is_terminal():
            raise ValueError("the game is over, so there is no action")
        return self.best_actions(state)[0]

    def choose(self, state: State, clock: Clock) -> int:
        """Plays `action`, as a player."""
        return self.action(state)


class Opponent:
    """A side's policy in every position of a game."""

    def __init__(self, game: Game, policy: Policy) -> None:
        require_policy(policy)
        self._solution, self._policy = solve(game), policy

    def chances(self, state: State) -> dict[int, float]:
        """Returns the chance of each action that it may choose."""
        return _choices(self._solution, self._policy, state)

    def worth(self, seat: int, rewards: Rewards, discount: float, tick: Tick | None) -> Callable[[State], float]:
        """Returns the value of positions to the agent in `seat`: V* at its turn, the value of the current step at the
        opponent's, the reward of the last step at the end.

        For a named policy, which treats symmetric positions alike, computes all values at once on the graph; calls a
        function once in each position that it can meet.
        """
        if isinstance(self._policy, str):
            graph = self._solution.graph
            values = _expectimax(graph, seat, rewards, discount, named_weights(self._solution, self._policy))
            return lambda state: float(values[graph.node(state)])
        known: dict[bytes, float] = {}

        def worth(state: State) -> float:
            key = state.key()
            if key not in known:
                known[key] = found(state)
            return known[key]

        def found(state: State) -> float:
            if state.is_terminal():
                winner = state.winner()
                return rewards.at_end(0 if winner is None else 1 if winner == seat else -1)
            if state.current_player() == seat:
                return max(worth(state.child(action)) for action in state.legal_actions())
            total = 0.0
            for action, chance in self.chances(state).items():
                after = state.child(action)
                value = worth(after)
                total += chance * (value if after.is_terminal() else rewards.step + discount * value)
            return total

        start = self._solution.game.new_initial_state()
        first = start.legal_actions() if seat == 0 else list(self.chances(start))
        for number, action in enumerate(first):
            worth(start.child(action))
            if tick:
                tick((number + 1) / len(first))
        return worth


def respond(
    game: Game,
    policy: Policy = "random",
    seat: int = 0,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    *,
    tick: Tick | None = None,
) -> BestResponse:
    """Returns the best response from `seat` to a policy in the other seat.

    `discount`, in (0, 1], applies to each step: a move of the agent and the reply.
    """
    require_setting(seat, discount)
    return BestResponse(game, Opponent(game, policy), seat, rewards, discount, tick)


def _end_rewards(graph: Graph, player: int, rewards: Rewards) -> Values:
    """Returns the reward of the last step for every finished position, 0 elsewhere: float64[positions]."""
    by_kind = np.zeros(DRAWN + 1)
    by_kind[WON + player] = rewards.at_end(1)
    by_kind[WON + 1 - player] = rewards.at_end(-1)
    by_kind[DRAWN] = rewards.at_end(0)
    return by_kind[graph.kinds]


def _expectimax(graph: Graph, player: int, rewards: Rewards, discount: float, weights: Chances) -> Values:
    """Returns by position: V* at the agent's turn, the value of the current step at the opponent's, the reward at the
    end.

    weights: the opponent's policy, as in `evaluate_weights`.
    """

    def combine(after: Values, layer: Layer) -> Values:
        if layer.marks % 2 == player:
            return layer.max(after)
        goes_on = graph.kinds[layer.targets] == NOT_OVER
        paid = np.where(goes_on, rewards.step + discount * after, after)
        chosen = weights[layer.moves]
        mean: Values = np.add.reduceat(paid * chosen, layer.starts) / np.add.reduceat(chosen, layer.starts)
        return mean

    return graph.fold(_end_rewards(graph, player, rewards), combine)


@dataclass(frozen=True)
class PolicyValue:
    """Chances of a player's win, draw and loss, which sum to 1, and its expected return, discounted.

    >>> import noughts
    >>> noughts.evaluate_policy("classic", "perfect", "perfect")
    PolicyValue(win=0.0, draw=1.0, loss=0.0, expected_return=0.0)
    """

    win: float
    draw: float
    loss: float
    expected_return: float


def policy_value(
    game: Game,
    policy: Policy,
    opponent: Policy = "random",
    *,
    seat: int = 0,
    rewards: Rewards = PLAIN,
    discount: float = 1.0,
    tick: Tick | None = None,
) -> PolicyValue:
    """Returns the exact value of `policy` in `seat` against `opponent`, over all games they can play."""
    require_setting(seat, discount)
    for side in (policy, opponent):
        require_policy(side)
    solution = solve(game)
    sides = (policy, opponent) if seat == 0 else (opponent, policy)
    if isinstance(policy, str) and isinstance(opponent, str):
        weights = (named_weights(solution, policy), named_weights(solution, opponent))
        return evaluate_weights(solution, *weights, player=seat, rewards=rewards, discount=discount)
    chances = _reach_by_state(solution, sides, tick)
    return _policy_value(solution, chances, seat, rewards, discount)


def require_policy(side: object) -> None:
    if isinstance(side, str) and side not in ("random", "perfect"):
        raise ValueError(f"the policy is {side!r}; it must be 'random', 'perfect' or a function of a state")


def named_weights(solution: Solution, name: str) -> Chances:
    """Returns the policy of a named side on the graph of a game: float64[moves], as in `evaluate_weights`."""
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
    """Returns the same as `policy_value`, for sides that treat symmetric positions alike.

    Each side is float64[moves] over the moves of the graph: a move is chosen with a chance proportional to its weight
    among the moves of its position.
    """
    sides = (policy, opponent) if player == 0 else (opponent, policy)
    return _policy_value(solution, solution.graph.flow(*sides), player, rewards, discount)


def _policy_value(solution: Solution, chances: Chances, player: int, rewards: Rewards, discount: float) -> PolicyValue:
    """Returns the agent's value if each position of the graph is reached with its chance."""
    graph = solution.graph
    by_kind = np.zeros(DRAWN + 1)
    np.add.at(by_kind, graph.kinds, chances)
    # Number of complete steps before a position with m marks that the agent's move or the reply to it made.
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


def _reach_by_state(solution: Solution, sides: tuple[Policy, Policy], tick: Tick | None) -> Chances:
    """Returns the chance of reaching each position of the graph if a side is a function. Keys distinguish the
    positions."""
    graph = solution.graph
    chances = np.zeros(len(graph.codes))
    chances[0] = 1.0
    start = solution.game.new_initial_state()
    layer: dict[bytes, tuple[State, float]] = {start.key(): (start, 1.0)}
    cells = solution.game.rules.cells
    for marks in range(cells):
        after: dict[bytes, tuple[State, float]] = {}
        for done, (state, chance) in enumerate(layer.values()):
            nodes = dict(zip(*graph.children(state), strict=True))
            for action, share in _choices(solution, sides[marks % 2], state).items():
                chances[nodes[action]] += chance * share
                child = state.child(action)
                if not child.is_terminal():
                    key = child.key()
                    after[key] = (child, chance * share + (after[key][1] if key in after else 0.0))
            if tick:
                tick((marks + done / len(layer)) / cells)
        layer = after
    return chances


def _choices(solution: Solution, side: Policy, state: State) -> dict[int, float]:
    """Returns the chance of each action that a side may choose. Raises ValueError if a function's answer is illegal."""
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
