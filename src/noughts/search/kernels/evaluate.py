"""Judging a position, kept up to date move by move.

The score of a position for player 0 is the sum over lines of blocks of the chance that they become player 0's less the
chance that they become player 1's, plus the same for single blocks by their worth. A block's chances come from its
lines; a move changes one block, and so the terms of a few lines. What depends on the turn is added at the leaf.
All numbers are integers: the same score by whichever moves a position came about, on every machine.
"""

from __future__ import annotations

from noughts.rules.kernels.bits import count_bits, lowest_bit
from noughts.rules.kernels.core import playable_blocks, points
from noughts.rules.kernels.jit import Ints, embedded, inlined
from noughts.rules.kernels.layout import (
    ALL_BLOCKS,
    ALL_CELLS,
    BLOCKS,
    CLOSED,
    LINE,
    LINE_MASK,
    LINES_AT,
    PLAYER,
    SENT,
    STATUS,
    TAKEN,
    WINNER,
    WON,
)
from noughts.search.kernels.layout import (
    BLOCK_LINE_WORDS,
    BLOCK_LINES,
    CERTAIN,
    CHANCE_OF,
    CHANCES,
    COMPLETES,
    END_UNIT,
    FREE,
    GAIN,
    JUDGED,
    LARGEST_SCORE,
    LARGEST_SUM,
    LINE_WEIGHT,
    LINES_OF_BLOCK,
    MISSING,
    PLANE_OF,
    SCORE,
    SCORE_BITS,
    SENT_WEIGHT,
    SUMS_OF,
    SURE_BLOCK,
    TEMPO,
    THREATS,
    WIN,
    WORTH,
)


@inlined
def completing_cells(know: Ints, cells: int) -> int:
    """The cells, taken or not, that would complete a line for a player who has `cells`."""
    return (know[COMPLETES + ((cells >> 2) & 16383)] >> ((cells & 3) << 4)) & 0xFFFF


@inlined
def cells_of(row: Ints, know: Ints, player: int, block: int) -> int:
    """The cells of a block that hold a player's mark, in games where each player has one."""
    return row[(know[PLANE_OF + player] & 2047) + block]


@embedded
def judge_block(rules: Ints, row: Ints, know: Ints, work: Ints, block: int) -> None:
    """The line sums of a block from scratch, and what follows from them."""
    first = cells_of(row, know, 0, block)
    second = cells_of(row, know, 1, block)
    own = 0
    other = 0
    number = 0
    while number < 32 and rules[LINE_MASK + number] != 0:
        mask = rules[LINE_MASK + number]
        if mask & second == 0:
            own += know[MISSING + count_bits(mask & ~first)]
        if mask & first == 0:
            other += know[MISSING + count_bits(mask & ~second)]
        number += 1
    work[SUMS_OF + block] = own
    work[SUMS_OF + 64 + block] = other
    note_block(rules, row, know, work, block)


@inlined
def line_gain(know: Ints, mask: int, own: int, other: int) -> int:
    """What one more mark of a player who has `own` cells adds to the line sums of both, in one word."""
    untouched = 1024 if mask & own == 0 else 0
    return know[GAIN + (untouched | (count_bits(mask & ~own) << 5) | count_bits(mask & other))]


@inlined
def other_part(gain: int) -> int:
    """What the one who does not move gains: nothing or less, in the lower half."""
    return (gain << 32) >> 32


@inlined
def mover_part(gain: int) -> int:
    """What the mover gains; the lower half has borrowed from it."""
    return (gain - other_part(gain)) >> 32


@embedded
def judge_move(rules: Ints, row: Ints, know: Ints, work: Ints, player: int, block: int, cell: int) -> None:
    """The same after a player's mark in one cell, from the sums before it."""
    own_cells = cells_of(row, know, player, block)
    other_cells = cells_of(row, know, 1 - player, block)
    bit = 1 << cell
    gain = 0
    at = LINES_AT + 33 * cell
    for i in range(rules[at]):
        gain += line_gain(know, rules[LINE_MASK + (rules[at + 1 + i] & 31)], own_cells ^ bit, other_cells)
    work[SUMS_OF + 64 * player + block] += mover_part(gain)
    work[SUMS_OF + 64 - 64 * player + block] += other_part(gain)
    note_block(rules, row, know, work, block)


@inlined
def chances(know: Ints, own: int, other: int) -> int:
    """chance << 16 | other's chance: who will own an open block, from both players' line sums."""
    return know[CHANCES + (((min(own, LARGEST_SUM) << 7) + min(other, LARGEST_SUM)) & 16383)]


@inlined
def lines_through(know: Ints, work: Ints, block: int, player: int) -> int:
    """The chance, of 2**30 for each line, that all other blocks of the lines through a block are a player's."""
    through = 0
    at = BLOCK_LINES + BLOCK_LINE_WORDS * block
    chance = CHANCE_OF + 64 * player
    for i in range(know[LINES_OF_BLOCK]):
        u = chance + (know[at + 3 * i] & 63)
        v = chance + (know[at + 3 * i + 1] & 63)
        w = chance + (know[at + 3 * i + 2] & 63)
        through += work[u] * work[v] * work[w]
    return through


@embedded
def note_block(rules: Ints, row: Ints, know: Ints, work: Ints, block: int) -> None:
    """Threats and chances of a block whose line sums are right, and their part in the score."""
    bit = 1 << block
    first_threat = 0
    second_threat = 0
    if row[CLOSED] & bit != 0:
        first = CERTAIN if row[WON] & bit != 0 else 0
        second = CERTAIN if row[WON + 1] & bit != 0 else 0
    else:
        empty = rules[ALL_CELLS] & ~row[TAKEN + block]
        first_threat = bit if completing_cells(know, cells_of(row, know, 0, block)) & empty != 0 else 0
        second_threat = bit if completing_cells(know, cells_of(row, know, 1, block)) & empty != 0 else 0
        both = chances(know, work[SUMS_OF + block], work[SUMS_OF + 64 + block])
        first = both >> 16
        second = both & 0xFFFF
    work[THREATS] = (work[THREATS] & ~bit) | first_threat
    work[THREATS + 1] = (work[THREATS + 1] & ~bit) | second_threat
    set_chances(know, work, block, first, second)


@embedded
def set_chances(know: Ints, work: Ints, block: int, first: int, second: int) -> None:
    """Change the chances of a block, and by how much its lines count."""
    rise = first - work[CHANCE_OF + block]
    other_rise = second - work[CHANCE_OF + 64 + block]
    work[CHANCE_OF + block] = first
    work[CHANCE_OF + 64 + block] = second
    through = lines_through(know, work, block, 0)
    other_through = lines_through(know, work, block, 1)
    work[SCORE] += know[LINE_WEIGHT] * (rise * through - other_rise * other_through)
    work[SCORE] += (know[WORTH + block] << 30) * (rise - other_rise)


@inlined
def judge_all(rules: Ints, row: Ints, know: Ints, work: Ints) -> None:
    """Everything from scratch."""
    for i in range(64):
        work[CHANCE_OF + i] = 0
        work[CHANCE_OF + 64 + i] = 0
    work[CHANCE_OF + SURE_BLOCK] = CERTAIN
    work[CHANCE_OF + 64 + SURE_BLOCK] = CERTAIN
    work[THREATS] = 0
    work[THREATS + 1] = 0
    work[SCORE] = 0
    if know[JUDGED] != 0:
        for block in range(rules[BLOCKS]):
            judge_block(rules, row, know, work, block)


@inlined
def blend(know: Ints, score: int, player: int, turn: int) -> int:
    """The score for a player to move, from SCORE and from what the turn is worth."""
    score >>= SCORE_BITS
    score = know[TEMPO] + turn + (score if player == 0 else -score)
    return max(-LARGEST_SCORE, min(LARGEST_SCORE, score))


@inlined
def turn_worth(know: Ints, work: Ints, unclosed: int, destined: int, block: int, sums: int) -> int:
    """What it is worth to a player to be sent to the blocks `destined` of those not closed.

    sums: what the line sums of `block` are to be taken for.
    """
    if destined == unclosed:
        return know[FREE]
    total = 0
    left = destined if know[SENT_WEIGHT] != 0 else 0
    while left != 0:
        to = lowest_bit(left)
        left &= left - 1
        total += min(sums if to == block else work[SUMS_OF + to] + work[SUMS_OF + 64 + to], LARGEST_SUM)
    return (total * know[SENT_WEIGHT]) >> 8


@embedded
def leaf_score(rules: Ints, row: Ints, know: Ints, work: Ints) -> int:
    """The score of a position in play for the player to move."""
    if know[JUDGED] == 0:
        return 0
    turn = 0
    if row[SENT] != 0:
        turn = turn_worth(know, work, rules[ALL_BLOCKS] & ~row[CLOSED], playable_blocks(rules, row), -1, 0)
    return blend(know, work[SCORE], row[PLAYER], turn)


@embedded
def end_score(rules: Ints, row: Ints, know: Ints, player: int, ply: int) -> int:
    """The score of a finished game for a player, `ply` moves after the root."""
    if row[STATUS] == LINE:
        return WIN - ply if row[WINNER] == player else ply - WIN
    return (points(rules, row, player) - points(rules, row, 1 - player)) * know[END_UNIT]
