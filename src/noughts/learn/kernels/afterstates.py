"""Q-learning of afterstates on the graph of a game, which unites symmetric positions.

The value of an action depends only on the position that it leads to, its *afterstate*. So there is a value for each
such position, not for each pair: Q(s, a) is the value of the position after a, however it was reached. The episodes
walk on the graph that `noughts.solving` builds with the rules; no board is needed. Arrays as in `Graph`: first
int64[positions + 1], targets int32[moves], kinds int8[positions]; values float64[positions].
"""

from __future__ import annotations

import numpy as np

from noughts.learn.kernels import qlearning as q
from noughts.learn.kernels.qlearning import epsilon_greedy, epsilon_threshold, result_of, update
from noughts.rules.kernels.arrays import Bytes, Ints, Ints32, Reals, Streams
from noughts.rules.kernels.jit import entry, inlined
from noughts.rules.kernels.playout import next_random, scale
from noughts.solving.kernels.codes import NOT_OVER


@inlined
def _best(first: Ints, targets: Ints, values: Reals, node: int) -> int:
    """Returns the move to the position of greatest value, the first among equals."""
    start = first[node]
    best = 0
    top = values[targets[start]]
    for i in range(1, first[node + 1] - start):
        if values[targets[start + i]] > top:
            top = values[targets[start + i]]
            best = i
    return best


@inlined
def _random_reply(first: Ints, targets: Ints, node: int, rng: np.uint64) -> int:
    """Returns the position after a uniformly random move."""
    return targets[first[node] + scale(rng >> np.uint64(32), first[node + 1] - first[node])]


@entry
def learn_afterstates(
    first: Ints,
    targets: Ints32,
    kinds: Bytes,
    seat: int,
    params: Reals,
    counts: Ints,
    stream: Streams,
    values: Reals,
    visits: Ints32,
    episodes: int,
) -> None:
    """Learns from episodes against a uniformly random opponent, with the update of `learn_pairs`."""
    rng = stream[0]
    for _ in range(episodes):
        threshold = epsilon_threshold(params, counts[q.EPISODE])
        counts[q.EPISODE] += 1
        node = 0
        if seat != 0:
            rng = next_random(rng)
            node = _random_reply(first, targets, 0, rng)
            if kinds[node] != NOT_OVER:  # the opponent's first move ended the game
                counts[q.TALLY + result_of(kinds[node], seat)] += 1
                continue
        best = _best(first, targets, values, node)
        while True:
            choice, rng = epsilon_greedy(rng, threshold, first[node + 1] - first[node], best)
            made = targets[first[node] + choice]
            node = made
            if kinds[node] == NOT_OVER:
                rng = next_random(rng)
                node = _random_reply(first, targets, node, rng)
            if kinds[node] != NOT_OVER:
                result = result_of(kinds[node], seat)
                counts[q.TALLY + result] += 1
                update(params, values, visits, made, params[q.WIN + result])
                break
            best = _best(first, targets, values, node)
            target = params[q.STEP] + params[q.GAMMA] * values[targets[first[node] + best]]
            update(params, values, visits, made, target)
    stream[0] = rng


@entry
def learn_by_self_play(
    first: Ints,
    targets: Ints32,
    kinds: Bytes,
    params: Reals,
    counts: Ints,
    stream: Streams,
    values: Reals,
    visits: Ints32,
    episodes: int,
) -> None:
    """Learns both seats at once; values are for the player who moved to the position. The tally counts for player 0.

    The value of a position to the player who moved there is minus the value of the best reply:

        value(p) += rate * (-gamma * max value(answers to p) - value(p))
    """
    rng = stream[0]
    for _ in range(episodes):
        threshold = epsilon_threshold(params, counts[q.EPISODE])
        counts[q.EPISODE] += 1
        node = 0
        mover = 0
        best = _best(first, targets, values, node)
        while kinds[node] == NOT_OVER:
            choice, rng = epsilon_greedy(rng, threshold, first[node + 1] - first[node], best)
            node = targets[first[node] + choice]
            if kinds[node] != NOT_OVER:
                update(params, values, visits, node, params[q.WIN + result_of(kinds[node], mover)])
            else:
                best = _best(first, targets, values, node)
                update(params, values, visits, node, -params[q.GAMMA] * values[targets[first[node] + best]])
            mover = 1 - mover
        counts[q.TALLY + result_of(kinds[node], 0)] += 1
    stream[0] = rng


@entry
def greedy_targets(first: Ints, targets: Ints32, kinds: Bytes, values: Reals, nodes: int, out: Ints32) -> None:
    """Sets out[node] to the position that the greedy policy moves to from each position, -1 where the game is over."""
    for node in range(nodes):
        out[node] = -1
        if kinds[node] == NOT_OVER:
            out[node] = targets[first[node] + _best(first, targets, values, node)]
