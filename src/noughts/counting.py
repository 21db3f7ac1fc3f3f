"""Counts by brute force: move sequences (perft) and random games (playouts)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index as as_index
from typing import TYPE_CHECKING

import numpy as np

from noughts.game import Game, State
from noughts.progress import Tick
from noughts.rules.calls import load_at_first_call
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.tables import Array

if TYPE_CHECKING:
    from noughts.rules.kernels.perft import count_sequences
else:
    load_at_first_call(globals(), "count_sequences")

MOST_PLAYOUTS = 10**10
"""Maximum number of playouts in one call: their random streams take 80 MB."""
WHOLE_DEPTH = 4
"""Depth that is counted in one call, within milliseconds; deeper counts are split by their first moves."""


@dataclass(frozen=True)
class Perft:
    """The counts of `divide` after one first action.

    sequences: of exactly `depth` moves from the start. ended: games that were over before: won by
    player 0, won by player 1, or drawn.
    """

    action: int
    sequences: int
    ended: tuple[int, int, int]


@dataclass(frozen=True)
class Playouts:
    """The results of random games: their number, the marks placed in all of them, wins of each player, draws.

    A nested game that ends without a line counts as a draw here, whatever its points, unless the rules have `majority`.

    >>> import noughts
    >>> played = noughts.playouts(noughts.load_game("classic"), 1000)
    >>> played.games == sum(played.wins) + played.draws
    True
    """

    games: int
    plies: int
    wins: tuple[int, int]
    draws: int


def perft(start: Game | State, depth: int) -> int:
    """Returns the number of sequences of exactly `depth` legal moves from the start of a game, or from a state.

    >>> import noughts
    >>> game = noughts.load_game("classic")
    >>> noughts.perft(game, 2), noughts.perft(game.from_string("XX./OO./... p0"), 2)
    (72, 16)
    """
    _require_depth(depth)
    state = _state(start)
    return 1 if depth == 0 else sum(part.sequences for part in divide(state, depth))


def divide(state: State, depth: int, tick: Tick | None = None) -> Iterator[Perft]:
    """Yields the perft of a state, one first action at a time. tick: called with the share of the work done."""
    _require_depth(depth, least=1)
    depth = min(depth, state.game.max_game_length() + 1)  # deeper there are no sequences, only finished games
    scratch = np.zeros(WHOLE_DEPTH * (state.game.num_distinct_actions() + 3), np.int64)
    actions = state.legal_actions()
    for i, action in enumerate(actions):
        ended = np.zeros(3, np.int64)
        count = _Count(scratch, ended, tick or (lambda _share: None))
        sequences = count.below(state.child(action), depth - 1, i / len(actions), 1 / len(actions))
        yield Perft(action, sequences, (int(ended[0]), int(ended[1]), int(ended[2])))


@dataclass(frozen=True)
class _Count:
    """A count in parts small enough for progress and Ctrl-C."""

    scratch: Array
    ended: Array
    tick: Tick

    def below(self, state: State, depth: int, done: float, share: float) -> int:
        """Returns the number of sequences of `depth` moves from `state`, `share` of all the work, of which `done` is
        complete."""
        if depth <= WHOLE_DEPTH or state.is_terminal():
            sequences = count_sequences(state.game.facts, state.words, depth, self.scratch, self.ended)
            self.tick(done + share)
            return sequences
        sequences = 0
        actions = state.legal_actions()
        for i, action in enumerate(actions):
            state.apply_action(action)
            sequences += self.below(state, depth - 1, done + share * i / len(actions), share / len(actions))
            state.undo_action()
        return sequences


def playouts(start: Game | State, n: int, seed: int = 0) -> Playouts:
    """Plays `n` games of uniformly random legal moves from the start of a game, or from a state; returns the results.

    The same seed gives the same games.

    >>> import noughts
    >>> played = noughts.playouts(noughts.load_game("classic").from_string("XX./OO./... p0"), 1000, seed=1)
    >>> played.games, sum(played.wins) + played.draws
    (1000, 1000)
    """
    from noughts.rules.kernels.playout import GAMES_A_STREAM, play_games, streams

    n = as_index(n)
    if n < 0:
        raise ValueError(f"the number of games must be 0 or more, not {n}")
    if n > MOST_PLAYOUTS:
        raise ValueError(f"the number of games must be at most {MOST_PLAYOUTS:,}")
    totals = np.zeros(4, np.int64)
    state = _state(start)
    begin = state.words[: int(state.game.facts[at.ROW_WORDS])].copy()
    row = begin.copy()
    for i, stream in enumerate(streams(seed, -(-n // GAMES_A_STREAM))):
        play_games(state.game.facts, begin, row, stream, min(GAMES_A_STREAM, n - i * GAMES_A_STREAM), totals)
    plies, first, second, draws = totals.tolist()
    return Playouts(n, plies, (first, second), draws)


def _state(start: Game | State) -> State:
    if isinstance(start, State):
        return start
    if isinstance(start, Game):
        return start.new_initial_state()
    raise TypeError(f"expected a Game or a State, not {type(start).__name__}; load_game returns a game by its name")


def _require_depth(depth: int, least: int = 0) -> None:
    if depth < least:
        raise ValueError(f"the depth must be {least} or more, not {depth}")
