"""Players without search: random, greedy, and exact play of a solved game."""

from __future__ import annotations

import random

from noughts import solving
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.protocol import BasePlayer
from noughts.rules.kernels import layout as at


class ChancePlayer(BasePlayer):
    """Chooses at random among `choices`; equal seeds give equal choices."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, state: State, clock: Clock) -> int:
        return self.pick(self.choices(state))

    def choices(self, state: State) -> list[int]:
        """Returns the actions to choose from."""
        raise NotImplementedError

    def pick(self, actions: list[int]) -> int:
        """Picks one of the actions, like `random.choice` but in half the time."""
        size, bits = len(actions), self._random.getrandbits
        width = size.bit_length()
        index = bits(width)
        while index >= size > 0:  # indexing an empty list raises the right error
            index = bits(width)
        return actions[index]

    def reseed(self, seed: int) -> None:
        """Resets the player as if created with this seed."""
        self._random.seed(seed)


class RandomPlayer(ChancePlayer):
    """Plays uniformly random legal actions."""

    name = "random"

    def choices(self, state: State) -> list[int]:
        return state.legal_actions()


class GreedyPlayer(ChancePlayer):
    """Looks one move and one reply ahead: a first real opponent for a bot.

    It takes a win, then a block, and avoids giving the opponent either. Ties are broken at random.
    """

    name = "greedy"

    def choices(self, state: State) -> list[int]:
        player = state.current_player()
        scores = {action: _worth(state.child(action), player) for action in state.legal_actions()}
        best = max(scores.values())
        return [action for action, score in scores.items() if score == best]


def _worth(state: State, player: int) -> float:
    """Returns the value of a position to `player`, one reply ahead; a win outweighs all blocks."""
    if state.is_terminal() or state.current_player() == player:
        return _sum(state, player)
    replies = state.legal_actions()
    worst = float("inf")
    for reply in replies:
        state.apply_action(reply)
        worst = min(worst, _sum(state, player))
        state.undo_action()
    return worst


def _sum(state: State, player: int) -> float:
    won = [int(state.words[at.WON + seat]).bit_count() for seat in (player, 1 - player)]
    return 100 * state.returns()[player] + won[0] - won[1]


class PerfectPlayer(ChancePlayer):
    """Plays exactly, in games small enough to solve.

    Prefers the best value, then the fastest win or slowest loss, then the position where a random reply errs most
    often. The seed decides among equal moves. Raises TooLarge for a game that is too large to solve.
    """

    name = "perfect"

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)
        self._solved: tuple[Game, solving.Solution] | None = None

    def prepare(self, game: Game) -> None:
        self._solve(game)

    def choices(self, state: State) -> list[int]:
        return self._solve(state.game).preferred_actions(state)

    def _solve(self, game: Game) -> solving.Solution:
        if self._solved is None or self._solved[0] is not game:
            self._solved = game, solving.solve(game)
        return self._solved[1]
