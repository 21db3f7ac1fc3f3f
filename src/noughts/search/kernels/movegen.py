"""Move generation and move ordering: those moves first that most often make a beta cutoff.

The ordering of a move and its place in the list are one word, `order << 10 | 1023 - place`: the largest word is that of
the move to try next, and finding it needs no branches. A list is at most 992 moves long.

`generate_moves` serves games without a static evaluation; `scored_movegen.py` the others.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import playable_blocks, playable_marks
from noughts.rules.kernels.jit import Ints, embedded, inlined
from noughts.search.kernels import layout as at

# Steps of the order. Quiet moves lie below TACTICAL_ORDER: they are ordered by static evaluation and history.
TT_MOVE_ORDER = 1 << 40
BLOCK_WIN_ORDER = 1 << 36
TACTICAL_ORDER = 1 << 31
"""Moves of a higher order are never reduced."""
PLACE_BITS = 10
PLACE_MASK = (1 << PLACE_BITS) - 1
MAX_HISTORY = 1 << 14
"""History stays between this and its opposite."""


@inlined
def slot_of(move: int) -> int:
    """Number of a mark in a cell, for the tables of Zobrist keys and of history."""
    return ((move & 15) << 10) | ((move >> 4) & 1023)


@inlined
def add_move(work: Ints, frame: int, end: int, move: int, order: int) -> int:
    """Write a move at the end of the list of a frame; the new end."""
    work[at.MOVES + end] = move
    work[at.ORDER + end] = (order << PLACE_BITS) | (PLACE_MASK - (end - work[frame + at.FIRST]))
    return end + 1


@inlined
def history_of(work: Ints, move: int) -> int:
    """What the history heuristic says about a move."""
    return work[at.HISTORY + slot_of(move)] if work[at.TECHNIQUES] & at.HISTORY_HEURISTIC != 0 else 0


@inlined
def tried_move(work: Ints, frame: int) -> int:
    """The table's move, if it was tried before the others are generated, or -1."""
    if work[frame + at.END] > work[frame + at.FIRST]:
        return work[at.MOVES + (work[frame + at.FIRST] & at.MOVE_MASK)]
    return -1


@embedded
def generate_moves(rules: Ints, row: Ints, work: Ints, frame: int) -> None:
    """The moves of a game without a static evaluation, but the one already tried."""
    tried = tried_move(work, frame)
    marks = playable_marks(rules, row)
    blocks = playable_blocks(rules, row)
    end = work[frame + at.END] & at.MOVE_MASK
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
    """Take the EXCLUDED moves from the list of the root."""
    end = work[frame + at.FIRST] & at.MOVE_MASK
    for index in range(end, work[frame + at.END] & at.MOVE_MASK):
        excluded = False
        for i in range(work[at.EXCLUDED_COUNT]):
            excluded |= work[at.EXCLUDED + i] == work[at.MOVES + index]
        if not excluded:
            end = add_move(work, frame, end, work[at.MOVES + index], work[at.ORDER + index] >> PLACE_BITS)
    work[frame + at.END] = end


@embedded
def pick_move(work: Ints, frame: int) -> int:
    """Bring the foremost of the moves not yet tried to the front; its index in MOVES."""
    first = work[frame + at.FIRST] & at.MOVE_MASK
    index = work[frame + at.NEXT] & at.MOVE_MASK
    work[frame + at.NEXT] = index + 1
    order = work[at.ORDER + index]
    for other in range(index + 1, work[frame + at.END] & at.MOVE_MASK):
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
    """Move the history of a move up or down, the less the further it is already."""
    slot = at.HISTORY + slot_of(move)
    work[slot] += bonus - work[slot] * abs(bonus) // MAX_HISTORY


@embedded
def update_history(work: Ints, frame: int, index: int, depth: int) -> None:
    """After a beta cutoff by the move at `index`: up with it, down with those tried before it."""
    bonus = min(depth * depth * 16, MAX_HISTORY // 4)
    add_history(work, work[at.MOVES + (index & at.MOVE_MASK)], bonus)
    for other in range(work[frame + at.FIRST] & at.MOVE_MASK, index & at.MOVE_MASK):
        add_history(work, work[at.MOVES + other], -bonus)
