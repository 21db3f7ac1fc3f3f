"""The player who plays many random games from where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.game import State
from noughts.players.alphabeta import thinking_seconds
from noughts.players.clock import Clock

if TYPE_CHECKING:
    from noughts.search.montecarlo import Forest


class MonteCarloPlayer:
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
        import noughts.search.montecarlo  # noqa: F401 - compiled or loaded now, not on the clock of the first move

    def choose(self, state: State, clock: Clock) -> int:
        from noughts.search.montecarlo import DEFAULT_MEGABYTES, Forest

        if self._forest is None or self._forest.game != state.game:
            self._forest = Forest(state.game, self._seed, megabytes=self._megabytes or DEFAULT_MEGABYTES)
        seconds = thinking_seconds(clock, self._seconds, self._games is not None)
        return self._forest.grow(state, seconds=seconds, games=self._games)[0].action
