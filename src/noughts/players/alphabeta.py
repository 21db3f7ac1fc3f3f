"""The player who looks ahead with alpha-beta search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.game import Game, State
from noughts.players.clock import Clock

if TYPE_CHECKING:
    from noughts.search.searcher import Limits, Searcher

DEFAULT_SECONDS = 1.0
"""Thinking time where neither the clock nor an option limits it."""
MARGIN = 0.002
"""Seconds kept for the way back: answering is not searching."""


def thinking_seconds(clock: Clock, most: float | None, limited: bool) -> float | None:
    """How long to think: what is left on the clock less a margin, and at most `most`.

    Without either, DEFAULT_SECONDS; or no limit at all if another one (`limited`) ends the search.
    """
    left = clock.remaining()
    if left == float("inf"):
        return most if most is not None else None if limited else DEFAULT_SECONDS
    left = max(0.0, left - MARGIN)
    return left if most is None else min(most, left)


class AlphaBetaPlayer:
    """Plays the best move it finds within the clock, and within depth, nodes and seconds where given.

    With depth or nodes alone its moves do not depend on the speed of the machine: it forgets between moves, so that
    a position gets the same move in every game. `without` switches off one technique, to see what it brings.
    """

    name = "alphabeta"

    def __init__(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        megabytes: int | None = None,
        without: str | None = None,
    ) -> None:
        self._depth, self._nodes, self._seconds = depth, nodes, seconds
        self._megabytes, self._without = megabytes, without
        self._searcher: Searcher | None = None
        self._limits(Clock())  # refuses what makes no sense, and loads the compiled search before any clock runs

    def prepare(self, game: Game) -> None:
        """Make ready for a game before any clock runs: memory takes time to get."""
        self._searcher_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        searcher = self._searcher_for(state.game)
        limits = self._limits(clock)
        if limits.seconds is None:
            searcher.forget()
        return searcher.search(state, limits).best.action

    def _limits(self, clock: Clock) -> Limits:
        from noughts.search.searcher import Limits

        limited = self._depth is not None or self._nodes is not None
        return Limits(thinking_seconds(clock, self._seconds, limited), self._nodes, self._depth)

    def _searcher_for(self, game: Game) -> Searcher:
        from noughts.search.layout import ALL_TECHNIQUES, TECHNIQUE_NAMES
        from noughts.search.searcher import DEFAULT_MEGABYTES, Searcher

        if self._searcher is None or self._searcher.game != game:
            techniques = ALL_TECHNIQUES & ~TECHNIQUE_NAMES.get(self._without or "", 0)
            megabytes = self._megabytes or DEFAULT_MEGABYTES
            self._searcher = Searcher(game, megabytes=megabytes, techniques=techniques)
        return self._searcher
