"""The Monte Carlo tree search player."""

from __future__ import annotations

from functools import partial

from noughts import search
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.alphabeta import thinking_seconds
from noughts.players.protocol import BasePlayer


class MonteCarloPlayer(BasePlayer):
    """Plays the best move of the tree within the clock, and within `games` (simulations) and `seconds` if given."""

    name = "mcts"

    def __init__(
        self,
        seed: int | None = None,
        *,
        games: int | None = None,
        seconds: float | None = None,
        memory: int | None = None,
    ) -> None:
        self._seed, self._games, self._seconds, self._memory = seed, games, seconds, memory
        self._search: search.MonteCarloTreeSearch | None = None
        self._new_search = search.MonteCarloTreeSearch  # compiled or loaded now, not on the clock of the first move

    def prepare(self, game: Game) -> None:
        """Prepares for a game before any clock runs."""
        self._search_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        seconds = thinking_seconds(clock, self._seconds, self._games is not None)
        return self._search_for(state.game).search(state, search.Limits(seconds, self._games))[0].action

    def _search_for(self, game: Game) -> search.MonteCarloTreeSearch:
        if self._search is None or self._search.game != game:
            new_search = partial(self._new_search, memory=self._memory) if self._memory else self._new_search
            self._search = new_search(game, self._seed)
        return self._search
