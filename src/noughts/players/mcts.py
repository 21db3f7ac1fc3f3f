"""The player who plays many random games from where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.alphabeta import thinking_seconds
from noughts.players.protocol import Player

if TYPE_CHECKING:
    from noughts.search.mcts import Forest


class MonteCarloPlayer(Player):
    """Plays the move of Monte Carlo tree search within the clock, and within `games` and `seconds` where given."""

    name = "mcts"

    def __init__(
        self,
        seed: int | None = None,
        *,
        games: int | None = None,
        seconds: float | None = None,
        megabytes: int | None = None,
    ) -> None:
        self._seed, self._games, self._seconds, self._megabytes = seed, games, seconds, megabytes
        self._forest: Forest | None = None
        import noughts.search.mcts  # noqa: F401 - compiled or loaded now, not on the clock of the first move

    def prepare(self, game: Game) -> None:
        """Make ready for a game before any clock runs."""
        self._forest_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        forest = self._forest_for(state.game)
        seconds = thinking_seconds(clock, self._seconds, self._games is not None)
        return forest.grow(state, seconds=seconds, games=self._games)[0].action

    def _forest_for(self, game: Game) -> Forest:
        from noughts.search.mcts import DEFAULT_MEGABYTES, Forest

        if self._forest is None or self._forest.game != game:
            self._forest = Forest(game, self._seed, megabytes=self._megabytes or DEFAULT_MEGABYTES)
        return self._forest
