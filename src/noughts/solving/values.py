"""Value and distance of every position, by going through the graph of a game backwards.

Both are in one small number, the *score*, for the player to move, so that the best move is the one with the highest:

    64 - d    wins, and the game ends after d moves
    d         a draw, after d moves
    d - 64    loses, after d moves

So the winner hurries and the loser delays. Draws are delayed by both; that decides only in games where a draw can
come before the board is full. A game that is over is scored for the player who would be next.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from noughts.solving.graph import DRAWN, NOT_OVER, WON, Graph

WIN: Final = 64
DRAW_BELOW: Final = 32
"""Scores of draws are below this, of wins above; a game has up to 16 moves."""

Scores = npt.NDArray[np.int8]


def value_of(scores: Scores) -> Scores:
    """1, 0 or -1 for each score."""
    values: Scores = (scores >= DRAW_BELOW).astype(np.int8) - (scores <= -DRAW_BELOW)
    return values


def distance_of(scores: Scores) -> Scores:
    """How many moves are left, for each score."""
    distances: Scores = np.where(np.abs(scores) < DRAW_BELOW, scores, WIN - np.abs(scores))
    return distances


def score_before(scores: Scores) -> Scores:
    """What positions with these scores are worth to the player who moves there: one move more, the other's view."""
    before: Scores = np.where(np.abs(scores) < DRAW_BELOW, scores + 1, -scores + np.sign(scores))
    return before


def solve_graph(graph: Graph) -> Scores:
    """The score of every position: int8[positions]."""
    next_player = graph.marks % 2
    winner = graph.kinds - WON
    scores: Scores = np.where(winner == next_player, WIN, -WIN).astype(np.int8)
    scores[graph.kinds == DRAWN] = 0
    for marks in reversed(range(len(graph.layers) - 1)):
        nodes, moves, starts = graph.open_layer(marks)
        if len(nodes):
            scores[nodes] = np.maximum.reduceat(score_before(scores[graph.targets[moves]]), starts)
    return scores


def error_shares(graph: Graph, scores: Scores) -> npt.NDArray[np.float64]:
    """The share of moves that give away value, in every position: float64[positions]; 0 if the game is over."""
    values = value_of(scores)
    open_nodes = np.flatnonzero(graph.kinds == NOT_OVER)
    moves = graph.moves[open_nodes]
    errs = -values[graph.targets] < np.repeat(values[open_nodes], moves)
    shares = np.zeros(len(scores))
    shares[open_nodes] = np.add.reduceat(errs.astype(np.int64), graph.first[open_nodes]) / moves
    return shares
