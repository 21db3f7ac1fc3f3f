"""The last ply: most positions of a search are one move away from being judged.

A quiet move there, one that neither wins nor fills its block, changes the chances of that block alone. So what it comes
to is worked out without making it: what a mark adds to each line of the block, and what the block is worth to lines
of blocks, are the same for all its cells. The scores are those of making the move and judging.
"""

from __future__ import annotations

from noughts.rules.bits import lowest_bit
from noughts.rules.jit import Ints, embedded, inlined
from noughts.rules.kernel import playable_blocks, playable_marks
from noughts.rules.layout import ALL_BLOCKS, ALL_CELLS, CLOSED, LINE_MASK, PLAYER, TAKEN
from noughts.search.evaluate import (
    blend,
    cells_of,
    chances,
    completing_cells,
    line_gain,
    lines_through,
    mover_part,
    other_part,
)
from noughts.search.layout import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    CELL_LINES,
    CHANCE_OF,
    END,
    FIRST,
    FREE,
    GAINS,
    LARGEST_SUM,
    LINE_WEIGHT,
    LINES_OF_CELL,
    MOVES,
    NEXT,
    NODES,
    ORDER,
    QUIESCENCE,
    ROOM_MASK,
    SCORE,
    SEND,
    SENT_WEIGHT,
    SUMS_OF,
    TECHNIQUES,
    THREATS,
    WORTH,
)
from noughts.search.moves import WINS_BLOCK, danger


@embedded
def weigh_lines(rules: Ints, know: Ints, work: Ints, own: int, other: int) -> None:
    """Into GAINS what a mark on each line of a block adds to the sums: the mover's << 32, plus the other's."""
    number = 0
    while number < 32 and rules[LINE_MASK + number] != 0:
        mask = rules[LINE_MASK + number]
        work[GAINS + number] = line_gain(know, mask, own, other)
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
def list_move(work: Ints, frame: int, end: int, move: int, order: int) -> int:
    """Add a move that must be made to be judged; the new end."""
    work[MOVES + end] = move
    work[ORDER + end] = order
    return end + 1


@embedded
def try_quiet_moves(rules: Ints, row: Ints, know: Ints, work: Ints, frame: int) -> None:
    """Judge the quiet moves of a position at depth 1, until one reaches beta; list the others.

    A quiet move that lets the opponent win a block at once is worth at most its score here, so it is listed only if that
    is above alpha.
    """
    player = row[PLAYER] & 1
    mark = lowest_bit(playable_marks(rules, row))
    unclosed = rules[ALL_BLOCKS] & ~row[CLOSED]
    quiescence = work[TECHNIQUES] & QUIESCENCE != 0
    alpha = work[frame + ALPHA]
    beta = work[frame + BETA]
    best = work[frame + BEST]
    best_move = -1
    nodes = 0
    end = work[frame + FIRST] & ROOM_MASK
    blocks = playable_blocks(rules, row)
    while blocks != 0 and alpha < beta:
        block = lowest_bit(blocks)
        blocks &= blocks - 1
        own_cells = cells_of(row, know, player, block)
        other_cells = cells_of(row, know, 1 - player, block)
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        loud = completing_cells(know, own_cells) & empty
        threatened = completing_cells(know, other_cells) & empty
        if empty & (empty - 1) == 0:
            loud = empty
        quiet = empty & ~loud
        while loud != 0:
            cell = lowest_bit(loud)
            loud &= loud - 1
            order = WINS_BLOCK - danger(rules, row, know, work, cell)
            end = list_move(work, frame, end, (block << 8) | (cell << 4) | mark, order)
        if quiet == 0:
            continue
        weigh_lines(rules, know, work, own_cells, other_cells)
        through = lines_through(know, work, block, player) * know[LINE_WEIGHT] + (know[WORTH + block] << 30)
        other_through = lines_through(know, work, block, 1 - player) * know[LINE_WEIGHT] + (know[WORTH + block] << 30)
        own_sum = work[SUMS_OF + 64 * player + block]
        other_sum = work[SUMS_OF + 64 - 64 * player + block]
        chance = work[CHANCE_OF + 64 * player + block]
        other_chance = work[CHANCE_OF + 64 - 64 * player + block]
        here = 1 << block
        threats = work[THREATS + 1 - player] & ~here
        while quiet != 0 and alpha < beta:
            cell = lowest_bit(quiet)
            quiet &= quiet - 1
            gain = gain_at(know, work, cell)
            own = own_sum + mover_part(gain)
            other = other_sum + other_part(gain)
            both = chances(know, own, other)
            rise = ((both >> 16) - chance) * through - ((both & 0xFFFF) - other_chance) * other_through
            destined = know[SEND + cell] & unclosed
            turn = 0
            if destined == 0 or destined == unclosed:
                destined = unclosed
                turn = know[FREE]
            elif know[SENT_WEIGHT] != 0:
                left = destined
                sums = 0
                while left != 0:
                    to = lowest_bit(left)
                    left &= left - 1
                    sums += min(
                        own + other if to == block else work[SUMS_OF + to] + work[SUMS_OF + 64 + to], LARGEST_SUM
                    )
                turn = (sums * know[SENT_WEIGHT]) >> 8
            score = -blend(know, work[SCORE] + (rise if player == 0 else -rise), 1 - player, turn)
            if score > best:
                hot = destined & (threats | (here if threatened & ~(1 << cell) != 0 else 0))
                if score > alpha and hot != 0 and quiescence:
                    end = list_move(work, frame, end, (block << 8) | (cell << 4) | mark, score)
                else:
                    best = score
                    best_move = (block << 8) | (cell << 4) | mark
                    alpha = max(alpha, score)
                    nodes += 1
            else:
                nodes += 1
    work[NODES] += nodes
    work[frame + BEST] = best
    work[frame + BEST_MOVE] = best_move
    work[frame + ALPHA] = alpha
    work[frame + NEXT] = work[frame + FIRST]
    work[frame + END] = end
