"""Computes the exact value of a greedy policy, over all games that it can play against a random opponent."""

from __future__ import annotations

from typing import Final

from noughts.learn.kernels import qlearning as q
from noughts.learn.kernels.pairs import greedy_choice, nth_move
from noughts.learn.kernels.qlearning import result_of
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints, Matrix, Reals
from noughts.rules.kernels.core import apply_move, count_actions, reset, undo_move, undo_token
from noughts.rules.kernels.jit import entry, inlined
from noughts.solving.kernels.codes import code_after, kind_of

# The plies of a walk: int64[cells + 1, PLY_WORDS].
NEXT: Final = 0
SIZE: Final = 1
TOKEN: Final = 2
CODE: Final = 3
PLY_WORDS: Final = 4

NOT_OPENED: Final = -1

# Totals: the chances of a win, a draw and a loss in the order of `result_of`, then the expected return.
RETURN: Final = 3
TOTAL_WORDS: Final = 4


@inlined
def _account(row: Ints, seat: int, params: Reals, chance: float, steps: int, totals: Reals) -> None:
    """Adds the reward of reaching a position after `steps` complete steps of the agent."""
    weight = chance * params[q.GAMMA] ** (steps - 1)
    if row[at.STATUS] != at.IN_PLAY:
        result = result_of(kind_of(row), seat)
        totals[result] += chance
        totals[RETURN] += weight * params[q.WIN + result]
    elif steps > 0 and row[at.PLAYER] == seat:
        totals[RETURN] += weight * params[q.STEP]


@entry
def evaluate_greedy(
    rules: Ints,
    row: Ints,
    bits: int,
    seat: int,
    params: Reals,
    slots: Ints,
    values: Reals,
    plies: Matrix,
    chances: Reals,
    totals: Reals,
) -> None:
    """Follows the greedy policy of the values of `learn_pairs` through every reply of a random opponent.

    Adds to totals float64[TOTAL_WORDS]. In positions that the agent never met, it plays the first legal action. `row`,
    `plies` and `chances` (float64[cells + 1]) are scratch.
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
            if row[at.STATUS] == at.IN_PLAY and row[at.PLAYER] == seat:
                plies[depth, NEXT] = greedy_choice(slots, values, plies[depth, CODE], plies[depth, SIZE])
        if plies[depth, NEXT] >= plies[depth, SIZE]:
            depth -= 1
            if depth >= 0:
                undo_move(rules, row, plies[depth, TOKEN])
            continue
        choice = plies[depth, NEXT]
        chances[depth + 1] = chances[depth]
        if row[at.PLAYER] == seat:
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
