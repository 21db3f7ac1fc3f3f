"""The handmade evaluation, by the chances of lines: for games without a network.

STATIC_EVAL, the score of a position for player 0, is the sum over lines of blocks of the chance that player 0 wins them
minus the chance that player 1 does, plus the same for single blocks by their worth. A block's chances come from its
line sums; a move changes one block, and so the terms of a few lines of blocks. The worth of the turn is added. All
numbers are integers, so the score is the same on every machine, whatever moves led to the position.

Quiet moves are scored without being made: the gain of a mark on each line of the block, and the worth of the block to
lines of blocks, are the same for all its cells.

If a line of blocks loses (misère), the weight of lines of blocks is negative; nothing else differs.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import count_bits, lowest_bit
from noughts.rules.kernels.core import playable_blocks
from noughts.rules.kernels.jit import embedded, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels.marks import cells_of


@inlined
def line_gain(params: Ints, mask: int, own: int, other: int) -> int:
    """Returns, in one word, how much one more mark of a player with `own` cells adds to the line sums of both."""
    untouched = 1024 if mask & own == 0 else 0
    return params[at.GAIN_TABLE + (untouched | (count_bits(mask & ~own) << 5) | count_bits(mask & other))]


@inlined
def other_part(gain: int) -> int:
    """Returns the other player's gain, in the lower half: zero or negative."""
    return (gain << 32) >> 32


@inlined
def mover_part(gain: int) -> int:
    """Returns the mover's gain; the lower half has borrowed from it."""
    return (gain - other_part(gain)) >> 32


@inlined
def chances(params: Ints, own: int, other: int) -> int:
    """Returns chance << 16 | other's chance of owning an open block, from both players' line sums."""
    return params[at.CHANCE_TABLE + (((min(own, at.LARGEST_SUM) << 7) + min(other, at.LARGEST_SUM)) & 16383)]


@inlined
def lines_through(params: Ints, work: Ints, block: int, player: int) -> int:
    """Returns the sum over lines through a block of the chance, in units of 2**-30, that a player owns the other
    blocks.
    """
    through = 0
    lines = at.BLOCK_LINES + at.BLOCK_LINE_WORDS * block
    chance = at.CHANCE + 64 * player
    for i in range(params[at.LINES_OF_BLOCK]):
        u = chance + params[lines + 3 * i]
        v = chance + params[lines + 3 * i + 1]
        w = chance + params[lines + 3 * i + 2]
        through += work[u] * work[v] * work[w]
    return through


@embedded
def set_chances(params: Ints, work: Ints, block: int, first: int, second: int) -> None:
    """Changes the chances of a block, and the weights of its lines."""
    rise = first - work[at.CHANCE + block]
    other_rise = second - work[at.CHANCE + 64 + block]
    work[at.CHANCE + block] = first
    work[at.CHANCE + 64 + block] = second
    through = lines_through(params, work, block, 0)
    other_through = lines_through(params, work, block, 1)
    work[at.STATIC_EVAL] += params[at.LINE_WEIGHT] * (rise * through - other_rise * other_through)
    work[at.STATIC_EVAL] += (params[at.WORTH + block] << 30) * (rise - other_rise)


@embedded
def update_block(row: Ints, params: Ints, work: Ints, block: int) -> None:
    """Updates the chances of a block from its line sums, and their part in STATIC_EVAL."""
    bit = 1 << block
    if row[rules_at.CLOSED] & bit != 0:
        first = at.CHANCE_ONE if row[rules_at.WON] & bit != 0 else 0
        second = at.CHANCE_ONE if row[rules_at.WON + 1] & bit != 0 else 0
    else:
        both = chances(params, work[at.LINE_SUMS + block], work[at.LINE_SUMS + 64 + block])
        first = both >> 16
        second = both & 0xFFFF
    set_chances(params, work, block, first, second)


@embedded
def refresh_block(rules: Ints, row: Ints, params: Ints, work: Ints, block: int) -> None:
    """Computes the line sums of a block, and all that depends on them, from scratch."""
    first = cells_of(row, params, 0, block)
    second = cells_of(row, params, 1, block)
    own = 0
    other = 0
    number = 0
    while number < 32 and rules[rules_at.LINE_MASK + number] != 0:
        mask = rules[rules_at.LINE_MASK + number]
        if mask & second == 0:
            own += params[at.MISSING + count_bits(mask & ~first)]
        if mask & first == 0:
            other += params[at.MISSING + count_bits(mask & ~second)]
        number += 1
    work[at.LINE_SUMS + block] = own
    work[at.LINE_SUMS + 64 + block] = other
    update_block(row, params, work, block)


@embedded
def refresh_chances(rules: Ints, row: Ints, params: Ints, work: Ints) -> None:
    """Computes all chances from scratch."""
    for i in range(64):
        work[at.CHANCE + i] = 0
        work[at.CHANCE + 64 + i] = 0
    work[at.CHANCE + at.SURE_BLOCK] = at.CHANCE_ONE
    work[at.CHANCE + 64 + at.SURE_BLOCK] = at.CHANCE_ONE
    work[at.STATIC_EVAL] = 0
    for block in range(rules[rules_at.BLOCKS]):
        refresh_block(rules, row, params, work, block)


@embedded
def update_chances(rules: Ints, row: Ints, params: Ints, work: Ints, player: int, block: int, cell: int) -> None:
    """Updates the chances after a player's mark in one cell."""
    own_cells = cells_of(row, params, player, block)
    other_cells = cells_of(row, params, 1 - player, block)
    bit = 1 << cell
    gain = 0
    lines = rules_at.LINES_AT + rules_at.CELL_LINE_WORDS * cell
    for i in range(rules[lines]):
        mask = rules[rules_at.LINE_MASK + rules[lines + 1 + i]]
        gain += line_gain(params, mask, own_cells ^ bit, other_cells)
    work[at.LINE_SUMS + 64 * player + block] += mover_part(gain)
    work[at.LINE_SUMS + 64 - 64 * player + block] += other_part(gain)
    update_block(row, params, work, block)


@inlined
def turn_score(params: Ints, work: Ints, unclosed: int, destined: int, block: int, sums: int) -> int:
    """Returns the worth, for a player, of being sent to the open blocks `destined`.

    sums: line sums to use for `block`.
    """
    if destined == unclosed:
        return params[at.FREE]
    total = 0
    left = destined if params[at.SENT_WEIGHT] != 0 else 0
    while left != 0:
        to = lowest_bit(left)
        left &= left - 1
        total += min(sums if to == block else work[at.LINE_SUMS + to] + work[at.LINE_SUMS + 64 + to], at.LARGEST_SUM)
    return (total * params[at.SENT_WEIGHT]) >> 8


@inlined
def score_to_move(params: Ints, static_eval: int, player: int, turn: int) -> int:
    """Returns the score for the player to move, from a STATIC_EVAL and the worth of the turn."""
    score = static_eval >> at.EVAL_BITS
    score = params[at.TEMPO] + turn + (score if player == 0 else -score)
    return max(-at.MAX_EVAL, min(at.MAX_EVAL, score))


@inlined
def save_chances(work: Ints, frame: int, block: int) -> None:
    """Saves in a frame what undoing a move in a block needs."""
    work[frame + at.UNDO_EVAL] = work[at.STATIC_EVAL]
    for player in range(2):
        work[frame + at.UNDO_SUMS + player] = work[at.LINE_SUMS + 64 * player + block]
        work[frame + at.UNDO_CHANCES + player] = work[at.CHANCE + 64 * player + block]


@inlined
def undo_chances(work: Ints, frame: int, block: int) -> None:
    """Restores what `save_chances` saved."""
    work[at.STATIC_EVAL] = work[frame + at.UNDO_EVAL]
    for player in range(2):
        work[at.LINE_SUMS + 64 * player + block] = work[frame + at.UNDO_SUMS + player]
        work[at.CHANCE + 64 * player + block] = work[frame + at.UNDO_CHANCES + player]


@embedded
def chances_score(rules: Ints, row: Ints, params: Ints, work: Ints) -> int:
    """Returns the static evaluation of a position in play, for the player to move."""
    turn = 0
    if row[rules_at.SENT] != 0:
        unclosed = rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED]
        turn = turn_score(params, work, unclosed, playable_blocks(rules, row), -1, 0)
    return score_to_move(params, work[at.STATIC_EVAL], row[rules_at.PLAYER], turn)


@inlined
def cell_gain(params: Ints, work: Ints, cell: int) -> int:
    """Returns the sum of LINE_GAINS over the lines through a cell."""
    lines = at.CELL_LINES + 33 * cell
    gain = 0
    for i in range(params[at.LINES_OF_CELL]):
        gain += work[at.LINE_GAINS + params[lines + i]]
    return gain


@embedded
def begin_quiet_chances(rules: Ints, row: Ints, params: Ints, work: Ints, block: int) -> None:
    """Computes the common part of all quiet moves in a block, into the scratch words."""
    player = row[rules_at.PLAYER]
    own = cells_of(row, params, player, block)
    other = cells_of(row, params, 1 - player, block)
    number = 0
    while number < 32 and rules[rules_at.LINE_MASK + number] != 0:
        work[at.LINE_GAINS + number] = line_gain(params, rules[rules_at.LINE_MASK + number], own, other)
        number += 1
    worth = params[at.WORTH + block] << 30
    work[at.THROUGH] = lines_through(params, work, block, player) * params[at.LINE_WEIGHT] + worth
    work[at.THROUGH + 1] = lines_through(params, work, block, 1 - player) * params[at.LINE_WEIGHT] + worth


@embedded
def score_quiet_chances(rules: Ints, row: Ints, params: Ints, work: Ints, block: int, cells: int) -> None:
    """Writes to QUIET_SUMS the scores, for the player to move, of quiet moves in some cells of a block."""
    player = row[rules_at.PLAYER]
    unclosed = rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED]
    while cells != 0:
        cell = lowest_bit(cells)
        cells &= cells - 1
        gain = cell_gain(params, work, cell)
        own = work[at.LINE_SUMS + 64 * player + block] + mover_part(gain)
        other = work[at.LINE_SUMS + 64 - 64 * player + block] + other_part(gain)
        both = chances(params, own, other)
        rise = ((both >> 16) - work[at.CHANCE + 64 * player + block]) * work[at.THROUGH]
        rise -= ((both & 0xFFFF) - work[at.CHANCE + 64 - 64 * player + block]) * work[at.THROUGH + 1]
        destined = params[at.SEND + cell] & unclosed
        turn = turn_score(params, work, unclosed, destined if destined != 0 else unclosed, block, own + other)
        static_eval = work[at.STATIC_EVAL] + (rise if player == 0 else -rise)
        work[at.QUIET_SUMS + cell] = -score_to_move(params, static_eval, 1 - player, turn)
