"""Counts move sequences (perft): the usual test of rules, and of their speed."""

from __future__ import annotations

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.core import apply_move, count_actions, fill_legal, move_of, undo_move, undo_token
from noughts.rules.kernels.jit import entry

# One level of the scratch array: number of actions, the next one to try, the undo token, the actions.
COUNT, NEXT, TOKEN, FIRST = 0, 1, 2, 3


@entry
def count_sequences(rules: Ints, row: Ints, depth: int, scratch: Ints, ended: Ints) -> int:
    """Returns the number of sequences of exactly `depth` legal moves that start at `row`.

    `scratch` holds depth * (actions + 3) words. Games that end in fewer than `depth` moves are not counted in the
    result but added to `ended`: wins of player 0, of player 1, draws. The row is restored.
    """
    if depth == 0:
        return 1
    if row[at.STATUS] != at.IN_PLAY:
        ended[row[at.WINNER] if row[at.WINNER] >= 0 else 2] += 1
        return 0
    if depth == 1:
        return count_actions(rules, row)
    total = 0
    stride = rules[at.ACTIONS] + FIRST
    level = 0
    scratch[COUNT] = fill_legal(rules, row, scratch, FIRST)
    scratch[NEXT] = 0
    while True:
        base = level * stride
        if scratch[base + NEXT] == scratch[base + COUNT]:
            level -= 1
            if level < 0:
                return total
            undo_move(rules, row, scratch[level * stride + TOKEN])
            continue
        action = scratch[base + FIRST + scratch[base + NEXT]]
        scratch[base + NEXT] += 1
        token = undo_token(row)
        apply_move(rules, row, move_of(rules, row, action))
        if row[at.STATUS] != at.IN_PLAY:
            ended[row[at.WINNER] if row[at.WINNER] >= 0 else 2] += 1
            undo_move(rules, row, token)
        elif level + 2 == depth:
            total += count_actions(rules, row)
            undo_move(rules, row, token)
        else:
            scratch[base + TOKEN] = token
            level += 1
            base += stride
            scratch[base + COUNT] = fill_legal(rules, row, scratch, base + FIRST)
            scratch[base + NEXT] = 0
