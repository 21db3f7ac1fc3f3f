"""Move generation and move ordering: moves that most often cause a beta cutoff come first.

The order of a move and its place in the list are one word, `order << 10 | 1023 - place`: the largest word belongs to
the next move to try, and finding it needs no branches. A list has at most 992 moves.

`generate_moves` is for games without a static evaluation, `scored_movegen.py` for the others.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import playable_blocks, playable_marks
from noughts.rules.kernels.jit import embedded, inlined
from noughts.search.kernels import layout as at

# Steps of the order. Moves below TACTICAL_ORDER are ordered by static evaluation and history.
TT_MOVE_ORDER = 1 << 40
BLOCK_WIN_ORDER = 1 << 36
TACTICAL_ORDER = 1 << 31
"""Moves with a higher order are never reduced. A network orders all moves below it, by their scores."""
PLACE_BITS = 10
PLACE_MASK = (1 << PLACE_BITS) - 1
MAX_HISTORY = 1 << 14
"""Maximum absolute value of the history."""


@inlined
def slot_of(move: int) -> int:
    """Returns the slot of a mark in a cell, for the tables of Zobrist keys and history."""
    return ((move & 15) << 10) | ((move >> 4) & 1023)


@inlined
def add_move(work: Ints, frame: int, end: int, move: int, order: int) -> int:
    """Appends a move to the list of a frame. Returns the new end."""
    work[at.MOVES + end] = move
    work[at.ORDER + end] = (order << PLACE_BITS) | (PLACE_MASK - (end - work[frame + at.FIRST]))
    return end + 1


@inlined
def history_of(work: Ints, move: int) -> int:
    """Returns the history of a move."""
    return work[at.HISTORY + slot_of(move)] if work[at.TECHNIQUES] & at.HISTORY_HEURISTIC != 0 else 0


@inlined
def tried_move(work: Ints, frame: int) -> int:
    """Returns the table's move if it was tried before the others were generated, else -1."""
    if work[frame + at.END] > work[frame + at.FIRST]:
        return work[at.MOVES + work[frame + at.FIRST]]
    return -1


@embedded
def generate_moves(rules: Ints, row: Ints, work: Ints, frame: int) -> None:
    """Generates the moves of a game without a static evaluation, except the one already tried."""
    tried = tried_move(work, frame)
    marks = playable_marks(rules, row)
    blocks = playable_blocks(rules, row)
    end = work[frame + at.END]
    while blocks != 0:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        empty = rules[rules_at.ALL_CELLS] & ~row[rules_at.TAKEN + block]
        while empty != 0:
            cell = lowest_bit(empty)
            empty &= empty - 1
            left = marks
            while left != 0:
                move = (block << 8) | (cell << 4) | lowest_bit(left)
                left &= left - 1
                if move != tried:
                    end = add_move(work, frame, end, move, history_of(work, move))
    work[frame + at.END] = end


@inlined
def drop_excluded(work: Ints, frame: int) -> None:
    """Removes the EXCLUDED moves from the list of the root."""
    end = work[frame + at.FIRST]
    for index in range(end, work[frame + at.END]):
        excluded = False
        for i in range(work[at.EXCLUDED_COUNT]):
            excluded |= work[at.EXCLUDED + i] == work[at.MOVES + index]
        if not excluded:
            end = add_move(work, frame, end, work[at.MOVES + index], work[at.ORDER + index] >> PLACE_BITS)
    work[frame + at.END] = end


@embedded
def pick_move(work: Ints, frame: int) -> int:
    """Moves the best untried move to the front. Returns its index in MOVES."""
    first = work[frame + at.FIRST]
    index = work[frame + at.NEXT]
    work[frame + at.NEXT] = index + 1
    order = work[at.ORDER + index]
    for other in range(index + 1, work[frame + at.END]):
        order = max(order, work[at.ORDER + other])
    found = first + PLACE_MASK - (order & PLACE_MASK)
    move = work[at.MOVES + found]
    work[at.MOVES + found] = work[at.MOVES + index]
    work[at.ORDER + found] = (work[at.ORDER + index] & ~PLACE_MASK) | (order & PLACE_MASK)
    work[at.MOVES + index] = move
    work[at.ORDER + index] = order
    return index


@inlined
def add_history(work: Ints, move: int, bonus: int) -> None:
    """Changes the history of a move, the less the further it already is from 0."""
    slot = at.HISTORY + slot_of(move)
    work[slot] += bonus - work[slot] * abs(bonus) // MAX_HISTORY


@embedded
def update_history(work: Ints, frame: int, index: int, depth: int) -> None:
    """After a beta cutoff by the move at `index`, raises its history and lowers that of the moves tried before it."""
    bonus = min(depth * depth * 16, MAX_HISTORY // 4)
    add_history(work, work[at.MOVES + index], bonus)
    for other in range(work[frame + at.FIRST], index):
        add_history(work, work[at.MOVES + other], -bonus)
