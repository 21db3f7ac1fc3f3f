"""What a greedy learner comes to, exactly: over all games that it can play, not a sample of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from noughts.learn.kernels.pairs import best_known, nth_move
from noughts.learn.kernels.updates import DRAW, GAMMA, LOSS, STEP, WIN, Reals
from noughts.rules.kernels.core import apply_move, count_actions, reset, undo_move, undo_token
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.layout import IN_PLAY, LINE, PLAYER, STATUS, WINNER
from noughts.solving.codes import code_after
from noughts.solving.graph import NOT_OVER, WON, Graph
from noughts.solving.rewards import Rewards

# The plies of a walk: int64[cells + 1, PLY_WORDS].
NEXT, SIZE, TOKEN, CODE, PLY_WORDS = 0, 1, 2, 3, 4

NOT_OPENED = -1


@inlined
def _account(row: Ints, seat: int, params: Reals, chance: float, steps: int, totals: Reals) -> None:
    """Add what arriving at a position pays, `steps` steps of the agent being complete."""
    weight = chance * params[GAMMA] ** (steps - 1)
    if row[STATUS] == IN_PLAY:
        if steps > 0 and row[PLAYER] == seat:
            totals[3] += weight * params[STEP]
    elif row[STATUS] != LINE:
        totals[1] += chance
        totals[3] += weight * params[DRAW]
    elif row[WINNER] == seat:
        totals[0] += chance
        totals[3] += weight * params[WIN]
    else:
        totals[2] += chance
        totals[3] += weight * params[LOSS]


@entry(
    "void(int64[::1], int64[::1], int64, int64, float64[::1], int64[::1], float64[::1],"
    " int64[:, ::1], float64[::1], float64[::1])"
)
def walk_greedy(
    rules: Ints,
    row: Ints,
    bits: int,
    seat: int,
    params: Reals,
    slots: Ints,
    values: Reals,
    plies: npt.NDArray[np.int64],
    chances: Reals,
    totals: Reals,
) -> None:
    """Follow a greedy agent with the values of `learn_pairs` through every reply of a random opponent.

    Adds to totals float64[4]: the chances of its win, draw and loss, and its expected return. Where it never was it
    plays the first legal action. `row`, `plies` and `chances` (float64[cells + 1]) are scratch.
    """
    reset(rules, row)
    depth = 0
    plies[0, NEXT] = NOT_OPENED
    plies[0, CODE] = 0
    chances[0] = 1.0
    while depth >= 0:
        if plies[depth, NEXT] == NOT_OPENED:
            _account(row, seat, params, chances[depth], (depth + 1 - seat) // 2, totals)
            plies[depth, NEXT] = 0
            plies[depth, SIZE] = count_actions(rules, row)
            if row[STATUS] == IN_PLAY and row[PLAYER] == seat:
                plies[depth, NEXT] = best_known(slots, values, plies[depth, CODE], plies[depth, SIZE])
        if plies[depth, NEXT] >= plies[depth, SIZE]:
            depth -= 1
            if depth >= 0:
                undo_move(rules, row, plies[depth, TOKEN])
            continue
        choice = plies[depth, NEXT]
        chances[depth + 1] = chances[depth]
        if row[PLAYER] == seat:
            plies[depth, NEXT] = plies[depth, SIZE]
        else:
            plies[depth, NEXT] += 1
            chances[depth + 1] /= plies[depth, SIZE]
        move = nth_move(rules, row, choice)
        plies[depth, TOKEN] = undo_token(row)
        apply_move(rules, row, move)
        plies[depth + 1, CODE] = code_after(plies[depth, CODE], move, bits)
        plies[depth + 1, NEXT] = NOT_OPENED
        depth += 1


def guaranteed_value(graph: Graph, greedy: npt.NDArray[np.int32], seat: int) -> int:
    """How the games of a greedy player end at worst, whoever the opponent is: 1 a win, 0 a draw, -1 a loss.

    greedy: int32[positions], the position that it makes from each.
    """
    values = np.zeros(len(graph.codes), np.int64)
    values[graph.kinds == WON + seat] = 1
    values[graph.kinds == WON + 1 - seat] = -1
    for marks in reversed(range(len(graph.layers) - 1)):
        nodes, moves, starts = graph.open_layer(marks)
        if not len(nodes):
            continue
        if marks % 2 == seat:
            values[nodes] = values[greedy[nodes]]
        else:
            values[nodes] = np.minimum.reduceat(values[graph.targets[moves]], starts)
    return int(values[0])


def maker_values(graph: Graph, rewards: Rewards, gamma: float) -> npt.NDArray[np.float64]:
    """What self-play learns, exactly: the worth of each position to the player who made it, discounted by `gamma`."""
    maker = (graph.marks + 1) % 2
    values = np.full(len(graph.codes), rewards.at_end(0))
    decided = (graph.kinds != NOT_OVER) & (graph.kinds < WON + 2)
    values[decided] = np.where(graph.kinds - WON == maker, rewards.at_end(1), rewards.at_end(-1))[decided]
    for marks in reversed(range(len(graph.layers) - 1)):
        nodes, moves, starts = graph.open_layer(marks)
        if len(nodes):
            values[nodes] = -gamma * np.maximum.reduceat(values[graph.targets[moves]], starts)
    return values
