"""The alpha-beta player, and its weaker levels for people."""

from __future__ import annotations

import random
from functools import partial
from typing import Literal, NamedTuple

from noughts import search
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.protocol import BasePlayer
from noughts.search.kernels.layout import ALL_TECHNIQUES, TECHNIQUE_NAMES
from noughts.search.network import load_network

NO_NETWORK = "none"
DEFAULT_SECONDS = 1.0
"""Thinking time in seconds if neither the clock nor an option limits it."""
MARGIN = 0.002
"""Seconds reserved for returning the answer."""


def thinking_seconds(clock: Clock, most: float | None, limited: bool) -> float | None:
    """Returns the seconds to think: those left on the clock minus a margin, at most `most`.

    Without either, returns DEFAULT_SECONDS, or None if another limit (`limited`) ends the search.
    """
    left = clock.remaining()
    if left == float("inf"):
        return most if most is not None else None if limited else DEFAULT_SECONDS
    left = max(0.0, left - MARGIN)
    return left if most is None else min(most, left)


class AlphaBetaPlayer(BasePlayer):
    """Plays the best move it finds within the clock, and within depth, nodes and seconds where given.

    With only depth or nodes its moves do not depend on the speed of the machine: every move is a new game for the
    engine, so a position gets the same move whatever came before. `without` switches off one technique, to measure its
    effect. network: a file with a learned evaluation; "none" for the handmade evaluation. contempt: avoid draws, in
    games whose network was trained for that, since most opponents are weaker.
    """

    name = "alphabeta"
    is_deterministic = True

    def __init__(
        self,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        memory: int | None = None,
        without: str | None = None,
        network: str | None = None,
        contempt: bool = True,
    ) -> None:
        self._depth, self._nodes, self._seconds = depth, nodes, seconds
        self._memory, self._without, self._network, self._contempt = memory, without, network, contempt
        self._engine: search.Engine | None = None
        self._limits(Clock())  # validates the options

    def prepare(self, game: Game) -> None:
        """Prepares for a game before any clock runs: allocating memory takes time."""
        self._engine_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        engine = self._engine_for(state.game)
        limits = self._limits(clock)
        if limits.seconds is None:
            engine.new_game()
        return engine.search(state, limits).best.action

    def _limits(self, clock: Clock) -> search.Limits:
        limited = self._depth is not None or self._nodes is not None
        return search.Limits(thinking_seconds(clock, self._seconds, limited), self._nodes, self._depth)

    def _engine_for(self, game: Game) -> search.Engine:
        if self._engine is None or self._engine.game != game:
            techniques = ALL_TECHNIQUES & ~TECHNIQUE_NAMES.get(self._without or "", 0)
            engine = partial(search.Engine, memory=self._memory) if self._memory else search.Engine
            network = _network(self._network, game)
            self._engine = engine(game, techniques=techniques, network=network, contempt=self._contempt)
        return self._engine


def _network(name: str | None, game: Game) -> search.Network | Literal["shipped"] | None:
    """Returns the `network` argument of `Engine` for the player's option."""
    if name is None:
        return "shipped"
    return None if name == NO_NETWORK else load_network(name, game.rules)


# Opponents of every strength for people: the search, less far-sighted and less exact at lower levels.
#
# A weak player that now and then picks a random move plays like a machine that breaks down. People err differently:
# they see less far, and are often slightly wrong but seldom very wrong. So a level is a depth and an error that is
# added to the score of every move: the player almost always avoids a move that loses at once, but often prefers a
# slightly worse one.


class Level(NamedTuple):
    """The strength of a level. depth: of its search. error: standard deviation of the error added to scores."""

    depth: int
    error: float

    @property
    def multi_pv(self) -> int | None:
        """The number of moves to score (None for all); without errors the best move is enough."""
        return 1 if self.error == 0 else None if self.depth <= 2 else 8


def _levels(*levels: tuple[int, float]) -> dict[int, Level]:
    return {number: Level(*level) for number, level in enumerate(levels, 1)}


LEVELS = _levels(
    *((1, 50_000), (1, 26_000), (2, 16_000), (2, 8_000), (3, 5_000)),
    *((4, 1_500), (5, 800), (7, 200), (9, 0)),
)
"""By level, for games without levels in their data. Level 10 is the search itself, as long as the clock allows."""


def levels_of(game: Game) -> dict[int, Level]:
    """Returns the levels in a game's data, or LEVELS. Their steps in Elo are in docs/champion.md."""
    return _levels(*game.data.levels) or LEVELS


SECONDS = 2.0
"""Maximum seconds that any level thinks about a move."""
END_SCORE = 150_000
"""Value of a certain win when errors are added."""


def best_with_errors(info: search.SearchInfo, error: float, chance: random.Random) -> int:
    """Returns the best move of a search after an error of about `error` is added to every score."""
    felt = {
        move.action: max(-END_SCORE, min(END_SCORE, move.score)) + chance.gauss(0.0, error) for move in info.variations
    }
    return max(felt, key=felt.__getitem__)


class LevelPlayer(BasePlayer):
    """The search at a level from 1 to 9; equal seeds give equal errors."""

    name = "alphabeta"

    def __init__(self, level: int, seed: int | None = None) -> None:
        if level not in LEVELS:
            raise ValueError(f"the level must be 1 to 10, not {level}")
        self._number = level
        self._random = random.Random(seed)
        self._engine: search.Engine | None = None
        self._new_engine = search.Engine  # compiled or loaded now, not on the clock of the first move

    def prepare(self, game: Game) -> None:
        """Prepares for a game before any clock runs."""
        self._engine_for(game)

    def choose(self, state: State, clock: Clock) -> int:
        engine = self._engine_for(state.game)
        engine.new_game()
        level = levels_of(state.game)[self._number]
        limits = search.Limits(seconds=min(SECONDS, clock.remaining()), depth=level.depth)
        info = engine.search(state, limits, multi_pv=level.multi_pv, scores_only=True)
        return best_with_errors(info, level.error, self._random)

    def _engine_for(self, game: Game) -> search.Engine:
        if self._engine is None or self._engine.game != game:
            self._engine = self._new_engine(game, memory=4)
        return self._engine
