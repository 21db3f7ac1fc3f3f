"""Q-learning on the graph of a game, where symmetric positions are one.

What an action is worth depends only on the position that it makes. So a value is kept for each position that the
learner can make, not for each pair: Q(s, a) is the value of the position after a, however it came about. The episodes
walk on the graph that `noughts.solving` makes with the rules; no board is needed any more. Arrays as in `Graph`:
first int64[positions + 1], targets int32[moves], kinds int8[positions]; values float64[positions].
"""

from __future__ import annotations

import numpy as np

from noughts.learn.kernels.updates import EPISODE, GAMMA, GREEDY, STEP, TALLY, WIN, Reals, exploration, explored, update
from noughts.rules.kernels.batch import Streams
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.playout import next_random, scale
from noughts.solving.graph import NOT_OVER, WON


@inlined
def best_target(first: Ints, targets: Ints, values: Reals, node: int) -> int:
    """The position of greatest value among those that a move from `node` makes, the first of equals."""
    best = targets[first[node]]
    for move in range(first[node] + 1, first[node + 1]):
        if values[targets[move]] > values[best]:
            best = targets[move]
    return best


@inlined
def _random_target(first: Ints, targets: Ints, node: int, draw: np.uint64) -> int:
    return targets[first[node] + scale(draw >> np.uint64(32), first[node + 1] - first[node])]


@inlined
def _result(kind: int, seat: int) -> int:
    """0 if a finished game was won by the player in `seat`, 1 if drawn, 2 if lost."""
    if kind != WON and kind != WON + 1:
        return 1
    return 0 if kind == WON + seat else 2


@entry(
    "void(int64[::1], int32[::1], int8[::1], int64, float64[::1], int64[::1], uint64[::1],"
    " float64[::1], int32[::1], int64)"
)
def learn_positions(
    first: Ints,
    targets: Ints,
    kinds: Ints,
    seat: int,
    params: Reals,
    counts: Ints,
    stream: Streams,
    values: Reals,
    visits: Ints,
    episodes: int,
) -> None:
    """Learn from so many episodes against a uniformly random opponent, with the update of `learn_pairs`."""
    draw = stream[0]
    for _ in range(episodes):
        threshold = exploration(params, counts[EPISODE])
        counts[EPISODE] += 1
        node = 0
        if seat != 0:
            draw = next_random(draw)
            node = _random_target(first, targets, 0, draw)
            if kinds[node] != NOT_OVER:  # the opponent's first move ended it
                counts[TALLY + _result(kinds[node], seat)] += 1
                continue
        best = best_target(first, targets, values, node)
        while True:
            choice, draw = explored(draw, threshold, first[node + 1] - first[node])
            made = best if choice == GREEDY else targets[first[node] + choice]
            node = made
            if kinds[node] == NOT_OVER:
                draw = next_random(draw)
                node = _random_target(first, targets, node, draw)
            if kinds[node] != NOT_OVER:
                result = _result(kinds[node], seat)
                counts[TALLY + result] += 1
                update(params, values, visits, made, params[WIN + result])
                break
            best = best_target(first, targets, values, node)
            update(params, values, visits, made, params[STEP] + params[GAMMA] * values[best])
    stream[0] = draw


@entry(
    "void(int64[::1], int32[::1], int8[::1], float64[::1], int64[::1], uint64[::1], float64[::1], int32[::1], int64)"
)
def learn_by_self_play(
    first: Ints,
    targets: Ints,
    kinds: Ints,
    params: Reals,
    counts: Ints,
    stream: Streams,
    values: Reals,
    visits: Ints,
    episodes: int,
) -> None:
    """Learn both seats at once; values are for the player who makes the position. The tally is of player 0.

    What a position is worth to its maker is what the best answer is worth to the other, the sign turned:

        value(p) += rate * (-gamma * max value(answers to p) - value(p))
    """
    draw = stream[0]
    for _ in range(episodes):
        threshold = exploration(params, counts[EPISODE])
        counts[EPISODE] += 1
        node = 0
        mover = 0
        best = best_target(first, targets, values, node)
        while kinds[node] == NOT_OVER:
            choice, draw = explored(draw, threshold, first[node + 1] - first[node])
            node = best if choice == GREEDY else targets[first[node] + choice]
            if kinds[node] != NOT_OVER:
                update(params, values, visits, node, params[WIN + _result(kinds[node], mover)])
            else:
                best = best_target(first, targets, values, node)
                update(params, values, visits, node, -params[GAMMA] * values[best])
            mover = 1 - mover
        counts[TALLY + _result(kinds[node], 0)] += 1
    stream[0] = draw


@entry("void(int64[::1], int32[::1], int8[::1], float64[::1], int64, int32[::1])")
def greedy_targets(first: Ints, targets: Ints, kinds: Ints, values: Reals, nodes: int, out: Ints) -> None:
    """out[node] becomes the position that a greedy learner makes from each position, -1 where the game is over."""
    for node in range(nodes):
        out[node] = best_target(first, targets, values, node) if kinds[node] == NOT_OVER else -1
