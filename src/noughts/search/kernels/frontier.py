"""Listing moves in games whose positions are judged; and on the last ply, where most of the work is, judging them.

A quiet move, one that neither wins nor fills its block, changes the chances of that block alone. So what it comes to is
worked out without making it: what a mark adds to each line of the block, and what the block is worth to lines of
blocks, are the same for all its cells. The scores are those of making the move and judging.
"""

from __future__ import annotations

from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import playable_blocks, playable_marks
from noughts.rules.kernels.jit import Ints, embedded, inlined
from noughts.rules.kernels.layout import ALL_BLOCKS, ALL_CELLS, CLOSED, LINE_MASK, PLAYER, TAKEN
from noughts.search.kernels.evaluate import (
    blend,
    cells_of,
    chances,
    completing_cells,
    line_gain,
    lines_through,
    mover_part,
    other_part,
    turn_worth,
)
from noughts.search.kernels.layout import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    CELL_LINES,
    CHANCE_OF,
    DANGER,
    DEPTH,
    END,
    EXACT,
    FRAMES,
    FUTILITY,
    GAINS,
    LINE_WEIGHT,
    LINES_OF_CELL,
    NODES,
    QUIESCENCE,
    ROOM_MASK,
    SCORE,
    SEND,
    SUMS_OF,
    TECHNIQUES,
    THREATS,
    WORTH,
)
from noughts.search.kernels.movegen import WINS_BLOCK, add_move, history_order, tried_move

GIVES_FREE_MOVE = 1 << 33
GIVES_BLOCK = 1 << 32
HOT = 20_000
"""By how much a move that lets the opponent win a block at once is put back, in score."""
FUTILE = 10_000
"""Two plies before the end, a move that falls short of alpha by this much is not tried."""


@inlined
def weigh_lines(rules: Ints, know: Ints, work: Ints, own: int, other: int) -> None:
    """Into GAINS what a mark on each line of a block adds to the line sums."""
    number = 0
    while number < 32 and rules[LINE_MASK + number] != 0:
        work[GAINS + number] = line_gain(know, rules[LINE_MASK + number], own, other)
        number += 1


@inlined
def gain_at(know: Ints, work: Ints, cell: int) -> int:
    """The sum of GAINS over the lines through a cell."""
    at = CELL_LINES + 33 * cell
    gain = 0
    for i in range(know[LINES_OF_CELL]):
        gain += work[GAINS + (know[at + i] & 63)]
    return gain


@inlined
def is_futile(work: Ints, frame: int) -> bool:
    """Whether hopeless moves of a frame may be left out: not at the root, nor in a search to the end."""
    return frame != FRAMES and work[EXACT] == 0 and work[TECHNIQUES] & FUTILITY != 0


@inlined
def danger(rules: Ints, row: Ints, know: Ints, work: Ints, cell: int) -> int:
    """How bad it is, in steps of the order, to send the opponent where a mark in `cell` sends them."""
    destined = know[SEND + cell] & rules[ALL_BLOCKS] & ~row[CLOSED]
    threats = work[THREATS + ((1 - row[PLAYER]) & 1)]
    if work[TECHNIQUES] & DANGER == 0:
        return 0
    if destined == 0:
        return GIVES_FREE_MOVE + (GIVES_BLOCK if threats != 0 else 0)
    return GIVES_BLOCK if destined & threats != 0 else 0


@inlined
def list_loud(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int, loud: int, order: int) -> None:
    """List the moves `loud`, as `block << 16 | cells`, that must be made to be judged."""
    mark = lowest_bit(playable_marks(rules, row))
    tried = tried_move(work, frame)
    end = work[frame + END] & ROOM_MASK
    cells = loud & 0xFFFF
    while cells != 0:
        cell = lowest_bit(cells)
        cells &= cells - 1
        move = ((loud >> 16) << 8) | (cell << 4) | mark
        if move != tried:
            end = add_move(work, frame, end, move, order - danger(rules, row, know, work, cell))
    work[frame + END] = end


@embedded
def list_quiet(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int, quiet: int) -> None:
    """List the moves `quiet`, as `block << 16 | cells`; at depth 1 judge them instead, until one reaches beta.

    A move that lets the opponent win a block at once is worth at most its score; if that is above alpha, it is listed
    at depth 1 too.
    """
    player = row[PLAYER] & 1
    block = quiet >> 16
    cells = quiet & 0xFFFF
    mark = lowest_bit(playable_marks(rules, row))
    unclosed = rules[ALL_BLOCKS] & ~row[CLOSED]
    own_cells = cells_of(row, know, player, block)
    other_cells = cells_of(row, know, 1 - player, block)
    weigh_lines(rules, know, work, own_cells, other_cells)
    worth = know[WORTH + block] << 30
    through = lines_through(know, work, block, player) * know[LINE_WEIGHT] + worth
    other_through = lines_through(know, work, block, 1 - player) * know[LINE_WEIGHT] + worth
    chance = work[CHANCE_OF + 64 * player + block]
    other_chance = work[CHANCE_OF + 64 - 64 * player + block]
    threats = work[THREATS + 1 - player] & ~(1 << block)
    threatened = completing_cells(know, other_cells) & ~row[TAKEN + block]
    while cells != 0 and work[frame + ALPHA] < work[frame + BETA]:
        cell = lowest_bit(cells)
        cells &= cells - 1
        gain = gain_at(know, work, cell)
        own = work[SUMS_OF + 64 * player + block] + mover_part(gain)
        other = work[SUMS_OF + 64 - 64 * player + block] + other_part(gain)
        both = chances(know, own, other)
        rise = ((both >> 16) - chance) * through - ((both & 0xFFFF) - other_chance) * other_through
        destined = know[SEND + cell] & unclosed
        if destined == 0:
            destined = unclosed
        turn = turn_worth(know, work, unclosed, destined, block, own + other)
        score = -blend(know, work[SCORE] + (rise if player == 0 else -rise), 1 - player, turn)
        still = (1 << block) if threatened & ~(1 << cell) != 0 else 0
        take_quiet(work, frame, (block << 8) | (cell << 4) | mark, score, destined & (threats | still) != 0)


@inlined
def take_quiet(work: Ints, frame: int, move: int, score: int, hot: bool) -> None:
    """Use the score of a quiet move. hot: it lets the opponent win a block at once."""
    depth = work[frame + DEPTH]
    if frame == FRAMES or depth > 1:
        if depth == 2 and score + FUTILE <= work[frame + ALPHA] and is_futile(work, frame):
            work[frame + BEST] = max(work[frame + BEST], score + FUTILE)
        elif move != tried_move(work, frame):
            order = score + 8 * history_order(work, move)
            if hot and work[TECHNIQUES] & DANGER != 0:
                order -= HOT
            work[frame + END] = add_move(work, frame, work[frame + END] & ROOM_MASK, move, order)
    elif score > work[frame + ALPHA] and hot and work[TECHNIQUES] & QUIESCENCE != 0:
        work[frame + END] = add_move(work, frame, work[frame + END] & ROOM_MASK, move, score)
    else:
        work[NODES] += 1
        if score > work[frame + BEST]:
            work[frame + BEST] = score
            work[frame + BEST_MOVE] = move
            work[frame + ALPHA] = max(work[frame + ALPHA], score)


@embedded
def list_judged(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int) -> None:
    """The moves of a position in their order, but those already tried; at depth 1 see `list_quiet`.

    Where the depth has ended, only those that win a block at once.
    """
    player = row[PLAYER] & 1
    blocks = playable_blocks(rules, row)
    over = work[frame + DEPTH] <= 0
    if over:
        blocks &= work[THREATS + player]
    while blocks != 0 and work[frame + ALPHA] < work[frame + BETA]:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        winning = completing_cells(know, cells_of(row, know, player, block)) & empty
        loud = winning if over or empty & (empty - 1) != 0 else empty
        if loud != 0:
            list_loud(rules, row, know, work, frame, (block << 16) | loud, WINS_BLOCK if winning != 0 else 0)
        if empty != loud and not over:
            list_quiet(rules, row, know, work, frame, (block << 16) | (empty & ~loud))
