"""Which moves to try, and in which order: those first that most often settle a position.

A move's order and its place in the list are one word, `order << 10 | 1023 - place`: the largest word is that of the
move to try next, and finding it needs no branches. A list is at most 992 moves long.
"""

from __future__ import annotations

from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import playable_blocks, playable_marks
from noughts.rules.kernels.jit import Ints, embedded, inlined
from noughts.rules.kernels.layout import ALL_CELLS, TAKEN
from noughts.search.kernels.layout import (
    END,
    FIRST,
    HISTORY,
    HISTORY_ORDER,
    MOVES,
    NEXT,
    ORDER,
    ROOM_MASK,
    SKIP_LIST,
    SKIPPED,
    TECHNIQUES,
)

# Steps of the order. Quiet moves lie below LOUD: they are ordered by score and history.
REMEMBERED = 1 << 40
WINS_BLOCK = 1 << 36
LOUD = 1 << 31
"""Moves of a higher order are never reduced."""
PLACE_BITS = 10
PLACE_MASK = (1 << PLACE_BITS) - 1
HISTORY_LIMIT = 1 << 14
"""History stays between this and its opposite."""


@inlined
def slot_of(move: int) -> int:
    """Number of a mark in a cell, for the tables of keys and of history."""
    return ((move & 15) << 10) | ((move >> 4) & 1023)


@inlined
def add_move(work: Ints, frame: int, end: int, move: int, order: int) -> int:
    """Write a move at the end of the list of a frame; the new end."""
    work[MOVES + end] = move
    work[ORDER + end] = (order << PLACE_BITS) | (PLACE_MASK - (end - work[frame + FIRST]))
    return end + 1


@inlined
def history_order(work: Ints, move: int) -> int:
    """What the search so far says about a move."""
    return work[HISTORY + slot_of(move)] if work[TECHNIQUES] & HISTORY_ORDER != 0 else 0


@inlined
def tried_move(work: Ints, frame: int) -> int:
    """The remembered move, if it was tried before the others are listed, or -1."""
    return work[MOVES + (work[frame + FIRST] & ROOM_MASK)] if work[frame + END] > work[frame + FIRST] else -1


@embedded
def list_unjudged(rules: Ints, row: Ints, work: Ints, frame: int) -> None:
    """The moves of a game whose positions are not judged, but those already tried."""
    tried = tried_move(work, frame)
    marks = playable_marks(rules, row)
    blocks = playable_blocks(rules, row)
    end = work[frame + END] & ROOM_MASK
    while blocks != 0:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        while empty != 0:
            cell = lowest_bit(empty)
            empty &= empty - 1
            left = marks
            while left != 0:
                move = (block << 8) | (cell << 4) | lowest_bit(left)
                left &= left - 1
                if move != tried:
                    end = add_move(work, frame, end, move, history_order(work, move))
    work[frame + END] = end


@inlined
def drop_skipped(work: Ints, frame: int) -> None:
    """Take the moves that are to be left out at the root from its list."""
    end = work[frame + FIRST] & ROOM_MASK
    for at in range(end, work[frame + END] & ROOM_MASK):
        skipped = False
        for i in range(work[SKIPPED]):
            skipped |= work[SKIP_LIST + i] == work[MOVES + at]
        if not skipped:
            end = add_move(work, frame, end, work[MOVES + at], work[ORDER + at] >> PLACE_BITS)
    work[frame + END] = end


@embedded
def pick_next(work: Ints, frame: int) -> int:
    """Bring the foremost of the moves not yet tried to the front; where it lies."""
    first = work[frame + FIRST] & ROOM_MASK
    at = work[frame + NEXT] & ROOM_MASK
    work[frame + NEXT] = at + 1
    order = work[ORDER + at]
    for other in range(at + 1, work[frame + END] & ROOM_MASK):
        order = max(order, work[ORDER + other])
    found = first + PLACE_MASK - (order & PLACE_MASK)
    move = work[MOVES + found]
    work[MOVES + found] = work[MOVES + at]
    work[ORDER + found] = (work[ORDER + at] & ~PLACE_MASK) | (order & PLACE_MASK)
    work[MOVES + at] = move
    work[ORDER + at] = order
    return at


@inlined
def shift_history(work: Ints, move: int, bonus: int) -> None:
    """Move the history of a move up or down, the less the further it is already."""
    slot = HISTORY + slot_of(move)
    work[slot] += bonus - work[slot] * abs(bonus) // HISTORY_LIMIT


@embedded
def reward_refutation(work: Ints, frame: int, at: int, depth: int) -> None:
    """Remember that the move at `at` made the rest unnecessary, and that those before it did not."""
    bonus = min(depth * depth * 16, HISTORY_LIMIT // 4)
    shift_history(work, work[MOVES + (at & ROOM_MASK)], bonus)
    for other in range(work[frame + FIRST] & ROOM_MASK, at & ROOM_MASK):
        shift_history(work, work[MOVES + other], -bonus)
