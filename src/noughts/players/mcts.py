"""The Monte Carlo tree search player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.alphabeta import thinking_seconds
from noughts.players.protocol import BasePlayer

if TYPE_CHECKING:
    from noughts.search import MonteCarloTreeSearch


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
        self._search: MonteCarloTreeSearch | None = None
        import noughts.search.mcts  # noqa: F401 - compiled or loaded now, not on the clock of the first move

    def prepare(self, game: Game) -> None:
        """Prepares for a game before any clock runs."""
        self._search_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        from noughts.search import Limits

        search = self._search_for(state.game)
        seconds = thinking_seconds(clock, self._seconds, self._games is not None)
        return search.search(state, Limits(seconds, self._games))[0].action

    def _search_for(self, game: Game) -> MonteCarloTreeSearch:
        from noughts.search.mcts import DEFAULT_MEGABYTES, MonteCarloTreeSearch

        if self._search is None or self._search.game != game:
            self._search = MonteCarloTreeSearch(game, self._seed, memory=self._memory or DEFAULT_MEGABYTES)
        return self._search
