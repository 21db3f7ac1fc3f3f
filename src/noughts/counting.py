"""Counting by brute force: move sequences (perft) and random games (playouts)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from noughts.game import Game, State
from noughts.rules import layout as at

SPLIT_DEPTH = 5
"""From here on a count is done in smaller parts, so that a progress bar moves and Ctrl-C is heard."""


@dataclass(frozen=True)
class Perft:
    """What `divide` counts after one first action.

    sequences: of exactly `depth` moves from the start. ended: games that were over before, by a line of
    player 0, a line of player 1, or otherwise.
    """

    action: int
    sequences: int
    ended: tuple[int, int, int]


@dataclass(frozen=True)
class Playouts:
    """What random games came to: how many, the marks placed in all, wins of each player, draws.

    A nested game that ends without a line counts as a draw here, whatever its points.
    """

    games: int
    plies: int
    wins: tuple[int, int]
    draws: int


def perft(game: Game, depth: int) -> int:
    """How many sequences of exactly `depth` legal moves there are from the start."""
    _require_depth(depth)
    state = game.new_initial_state()
    return 1 if depth == 0 else sum(part.sequences for part in divide(state, depth))


def divide(state: State, depth: int, tick: Callable[[float], None] | None = None) -> Iterator[Perft]:
    """Perft from a state, one first action at a time. `tick` is told the share of the work done, now and then."""
    from noughts.rules.perft import count_sequences

    _require_depth(depth, least=1)
    facts = state._facts
    scratch = np.zeros(depth * (int(facts[at.ACTIONS]) + 3), np.int64)
    actions = state.legal_actions()
    for done, action in enumerate(actions):
        child = state.child(action)
        starts, left = [child], depth - 1
        if depth >= SPLIT_DEPTH and not child.is_terminal():
            starts, left = [child.child(reply) for reply in child.legal_actions()], depth - 2
        sequences, ended = 0, np.zeros(3, np.int64)
        for i, start in enumerate(starts, 1):
            sequences += count_sequences(facts, start._words, left, scratch, ended)
            if tick:
                tick((done + i / len(starts)) / len(actions))
        yield Perft(action, sequences, (int(ended[0]), int(ended[1]), int(ended[2])))


def playouts(game: Game, n: int, seed: int = 0) -> Playouts:
    """Play `n` games of uniformly random legal moves; the same seed gives the same games."""
    from noughts.rules.playout import GAMES_A_STREAM, play_games, streams

    if n < 0:
        raise ValueError(f"the number of games must be 0 or more, not {n}")
    totals = np.zeros(4, np.int64)
    row = np.zeros(int(game._facts[at.ROW_WORDS]), np.int64)
    for i, stream in enumerate(streams(seed, -(-n // GAMES_A_STREAM))):
        play_games(game._facts, row, stream, min(GAMES_A_STREAM, n - i * GAMES_A_STREAM), totals)
    plies, first, second, draws = totals.tolist()
    return Playouts(n, plies, (first, second), draws)


def _require_depth(depth: int, least: int = 0) -> None:
    if depth < least:
        raise ValueError(f"the depth must be {least} or more, not {depth}")
