"""Which moves to try, and in which order: those first that most often settle a position."""

from __future__ import annotations

from noughts.rules.bits import lowest_bit
from noughts.rules.jit import Ints, embedded, inlined
from noughts.rules.kernel import playable_blocks, playable_marks
from noughts.rules.layout import ALL_BLOCKS, ALL_CELLS, CLOSED, NESTED, PLAYER, TAKEN
from noughts.search.evaluate import cells_of, completing_cells
from noughts.search.layout import (
    DANGER,
    END,
    FIRST,
    HISTORY,
    HISTORY_ORDER,
    JUDGED,
    KILLER_MOVES,
    KILLERS,
    MOVES,
    NEXT,
    ORDER,
    ROOM_MASK,
    SEND,
    SKIP_LIST,
    SKIPPED,
    TECHNIQUES,
    THREATS,
)

# Steps of the order; history stays below the smallest.
REMEMBERED = 1 << 40
WINS_BLOCK = 1 << 36
FIRST_KILLER = 1 << 35
SECOND_KILLER = 1 << 34
SAVES_BLOCK = 1 << 32
GIVES_FREE_MOVE = 1 << 33
GIVES_BLOCK = 1 << 32
LOUD = 1 << 31
"""Moves of a higher order are never reduced."""
HISTORY_LIMIT = 1 << 30


@inlined
def slot_of(move: int) -> int:
    """Number of a mark in a cell, for the tables of keys and of history."""
    return ((move & 15) << 10) | ((move >> 4) & 1023)


@embedded
def danger(rules: Ints, row: Ints, know: Ints, work: Ints, cell: int) -> int:
    """How bad it is, in steps of the order, to send the opponent where a mark in `cell` sends them."""
    destined = know[SEND + cell] & rules[ALL_BLOCKS] & ~row[CLOSED]
    threats = work[THREATS + ((1 - row[PLAYER]) & 1)]
    if destined == 0:
        return GIVES_FREE_MOVE + (GIVES_BLOCK if threats != 0 else 0)
    return GIVES_BLOCK if destined & threats != 0 else 0


@embedded
def list_moves(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int, ply: int, best: int) -> None:
    """All legal moves with their order; `best` is the one to try first, or -1."""
    player = row[PLAYER] & 1
    marks = playable_marks(rules, row)
    blocks = playable_blocks(rules, row)
    judged = know[JUDGED] != 0
    cautious = rules[NESTED] != 0 and work[TECHNIQUES] & DANGER != 0
    end = work[frame + FIRST] & ROOM_MASK
    while blocks != 0:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        winning = 0
        saving = 0
        if judged:
            winning = completing_cells(know, cells_of(row, know, player, block))
            saving = completing_cells(know, cells_of(row, know, 1 - player, block))
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        while empty != 0:
            cell = lowest_bit(empty)
            empty &= empty - 1
            base = ((winning >> cell) & 1) * WINS_BLOCK + ((saving >> cell) & 1) * SAVES_BLOCK
            if cautious:
                base -= danger(rules, row, know, work, cell)
            left = marks
            while left != 0:
                move = (block << 8) | (cell << 4) | lowest_bit(left)
                left &= left - 1
                if ply != 0 or not is_skipped(work, move):
                    work[MOVES + end] = move
                    work[ORDER + end] = base + custom_order(work, ply, move, best)
                    end += 1
    work[frame + NEXT] = work[frame + FIRST]
    work[frame + END] = end


@inlined
def custom_order(work: Ints, ply: int, move: int, best: int) -> int:
    """What the search so far says about a move."""
    order = 0
    if work[TECHNIQUES] & HISTORY_ORDER != 0:
        order = work[HISTORY + slot_of(move)]
    if move == best:
        order = REMEMBERED
    elif work[TECHNIQUES] & KILLER_MOVES != 0:
        if move == work[KILLERS + 2 * ply]:
            order += FIRST_KILLER
        elif move == work[KILLERS + 2 * ply + 1]:
            order += SECOND_KILLER
    return order


@embedded
def list_block_wins(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int) -> None:
    """The moves that win a block at once."""
    player = row[PLAYER] & 1
    mark = lowest_bit(playable_marks(rules, row))
    blocks = playable_blocks(rules, row) & work[THREATS + player]
    end = work[frame + FIRST] & ROOM_MASK
    while blocks != 0:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        cells = completing_cells(know, cells_of(row, know, player, block)) & ~row[TAKEN + block]
        while cells != 0:
            work[MOVES + end] = (block << 8) | (lowest_bit(cells) << 4) | mark
            work[ORDER + end] = WINS_BLOCK - danger(rules, row, know, work, lowest_bit(cells))
            cells &= cells - 1
            end += 1
    work[frame + NEXT] = work[frame + FIRST]
    work[frame + END] = end


@inlined
def is_skipped(work: Ints, move: int) -> bool:
    """Whether a move at the root is to be left out."""
    found = False
    for i in range(work[SKIPPED]):
        found |= work[SKIP_LIST + i] == move
    return found


@embedded
def pick_next(work: Ints, frame: int) -> int:
    """Bring the foremost of the moves not yet tried to the front; where it lies."""
    at = work[frame + NEXT] & ROOM_MASK
    work[frame + NEXT] = at + 1
    found = at
    order = work[ORDER + at]
    for other in range(at + 1, work[frame + END] & ROOM_MASK):
        if work[ORDER + other] > order:
            order = work[ORDER + other]
            found = other
    move = work[MOVES + found]
    work[MOVES + found] = work[MOVES + at]
    work[ORDER + found] = work[ORDER + at]
    work[MOVES + at] = move
    work[ORDER + at] = order
    return at


@inlined
def reward_refutation(work: Ints, ply: int, move: int, depth: int) -> None:
    """Remember a move that made the rest unnecessary."""
    if move != work[KILLERS + 2 * ply]:
        work[KILLERS + 2 * ply + 1] = work[KILLERS + 2 * ply]
        work[KILLERS + 2 * ply] = move
    slot = HISTORY + slot_of(move)
    work[slot] = min(work[slot] + depth * depth, HISTORY_LIMIT)
