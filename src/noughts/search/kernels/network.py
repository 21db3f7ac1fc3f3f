"""The learned evaluation: a small network (NNUE) whose first layer is kept up to date move by move.

    marks of a block --patterns--> vector --matrix of the block--> row
    rows of all blocks, as a player sees them --sum--> accumulator of that player (one for each, by ply)
    accumulator of the player to move, the rows of the blocks they are sent to --clipped, squared, weighted--> score

A move changes one block, and so one row of each accumulator. A quiet move is scored without being made: the accumulator
without its block is the same for all cells of that block. Rows of open blocks are computed when first needed and
cached; a row depends only on the marks, so scores do not depend on the cache. All numbers are integers, so the score is
the same on every machine, whatever moves led to the position. `network_layout.py` has the memory layout, and explains
why no sum overflows.
"""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import count_bits, lowest_bit
from noughts.rules.kernels.jit import called, embedded, inlined
from noughts.search.kernels import layout as at
from noughts.search.kernels import network_layout as net_at
from noughts.search.kernels.lanes import add_vector, exchange_rows, output_sum, project
from noughts.search.kernels.marks import cells_of

ROW = 2 * net_at.WIDTH
OWN_FACTOR, OTHER_FACTOR, HASH_SHIFT = 0x27D4EB2F, 0x165667B1, 19
"""A multiplicative hash: odd numbers of about 30 bits, and bits of the sum that depend on all cells."""


@inlined
def pattern_place(params: Ints, part: int, own: int, other: int) -> int:
    """Returns the place of the vector that a part of a block adds, for a viewer with the cells `own` of the block."""
    low = net_at.PART_LOW + 256 * part
    high = net_at.PART_HIGH + 256 * part
    pattern = params[low + (own & 255)] + params[high + ((own >> 8) & 255)]
    pattern += 2 * (params[low + (other & 255)] + params[high + ((other >> 8) & 255)])
    return params[net_at.PATTERNS_AT + part] + net_at.RANK * pattern


@called
def make_row(params: Ints, net: Ints, block: int, own: int, other: int, to: int) -> None:
    """Computes the row of an open block. Its vector is summed in the row's place."""
    exchange_rows(net, to, net_at.VECTOR_BIAS, net_at.NOTHING, net_at.NOTHING)
    for part in range(net_at.MOST_PARTS):
        add_vector(net, to, pattern_place(params, part, own, other))
    matrix = params[net_at.MATRICES_AT] + block * (net_at.RANK * ROW)
    low, top, limit = params[net_at.VECTOR_LOW], params[net_at.VECTOR_TOP], params[net_at.ROW_LIMIT]
    project(net, to, to, matrix, low, top, limit)


@inlined
def slot_of_row(block: int, own: int, other: int) -> int:
    """Returns the slot of a row in the cache: by block, parity of its marks, the larger mask's owner, and a hash.

    Rows in use at the same time are of different blocks, of both players' views of a block, or differ by one mark, so
    they never share a slot. `undo_accumulators` restores those of earlier plies.
    """
    spread = ((own * OWN_FACTOR + other * OTHER_FACTOR) >> HASH_SHIFT) & ((1 << net_at.SLOT_BITS) - 1)
    kind = (count_bits(own | other) & 1) | ((own > other) << 1)
    return (((block << 2) | kind) << net_at.SLOT_BITS) | spread


@inlined
def fill_slot(params: Ints, work: Ints, net: Ints, slot: int, block: int, own: int, other: int) -> int:
    """Computes the row of an open block in its slot, unless it is there. Returns its place."""
    place = params[net_at.CACHE_AT] + ROW * slot
    key = ((own << 16) | other) + 1
    if work[at.ROW_KEYS + slot] != key:
        work[at.ROW_KEYS + slot] = key
        make_row(params, net, block, own, other, place)
    return place


@embedded
def row_of(params: Ints, work: Ints, net: Ints, block: int, own: int, other: int) -> int:
    """Returns the place of an open block's row, for a viewer with the cells `own`; computes it if needed."""
    return fill_slot(params, work, net, slot_of_row(block, own, other), block, own, other)


@inlined
def row_seen(work: Ints, block: int, viewer: int) -> int:
    """Returns the place of the row of an open block of the position, for a player."""
    return work[at.ROWS + net_at.MOST_BLOCKS * viewer + block]


@inlined
def closed_row(row: Ints, block: int, viewer: int) -> int:
    """Returns the place of the row of a closed block, for a player."""
    owner = 0 if (row[rules_at.WON + viewer] >> block) & 1 != 0 else 2 - ((row[rules_at.WON + 1 - viewer] >> block) & 1)
    return net_at.CLOSED + net_at.WIDTH * (3 * block + owner)


@called
def refresh_accumulators(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints) -> None:
    """Computes both accumulators from scratch, for ply 0."""
    work[at.ACCUMULATOR] = net_at.ACCUMULATORS
    for viewer in range(2):
        here = net_at.ACCUMULATORS + net_at.WIDTH * viewer
        exchange_rows(net, here, net_at.BIAS, net_at.NOTHING, net_at.NOTHING)
        for block in range(rules[rules_at.BLOCKS]):
            if (row[rules_at.CLOSED] >> block) & 1 != 0:
                added = closed_row(row, block, viewer)
            else:
                own = cells_of(row, params, viewer, block)
                added = row_of(params, work, net, block, own, cells_of(row, params, 1 - viewer, block))
                work[at.ROWS + net_at.MOST_BLOCKS * viewer + block] = added
            exchange_rows(net, here, here, added, net_at.NOTHING)


@embedded
def update_accumulators(row: Ints, params: Ints, work: Ints, net: Ints, frame: int, block: int) -> None:
    """Computes the accumulators of the next ply from those of this one, after a mark in a block."""
    here = work[at.ACCUMULATOR]
    closed = (row[rules_at.CLOSED] >> block) & 1 != 0
    for viewer in range(2):
        own = cells_of(row, params, viewer, block)
        other = cells_of(row, params, 1 - viewer, block)
        before = row_seen(work, block, viewer)
        after = closed_row(row, block, viewer) if closed else row_of(params, work, net, block, own, other)
        work[frame + at.UNDO_ROWS + viewer] = before
        work[at.ROWS + net_at.MOST_BLOCKS * viewer + block] = after
        source = here + net_at.WIDTH * viewer
        exchange_rows(net, source + 2 * net_at.WIDTH, source, after, before)
    work[at.ACCUMULATOR] = here + 2 * net_at.WIDTH


@embedded
def undo_accumulators(row: Ints, params: Ints, work: Ints, net: Ints, frame: int, block: int) -> None:
    """Restores the rows after a mark is taken back. Accumulators of earlier plies are still there; rows may not be."""
    work[at.ACCUMULATOR] -= 2 * net_at.WIDTH
    for viewer in range(2):
        before = work[frame + at.UNDO_ROWS + viewer]
        work[at.ROWS + net_at.MOST_BLOCKS * viewer + block] = before
        own = cells_of(row, params, viewer, block)
        other = cells_of(row, params, 1 - viewer, block)
        fill_slot(params, work, net, (before - params[net_at.CACHE_AT]) // ROW, block, own, other)


@inlined
def squashed(params: Ints, total: int) -> int:
    """Returns the score for a sum of the output, interpolated in the table of SQUASH."""
    most = net_at.SQUASH_STEPS << net_at.SQUASH_SHIFT
    total = max(0, min(2 * most, total + most))
    step = net_at.SQUASH + (total >> net_at.SQUASH_SHIFT)
    rest = total & ((1 << net_at.SQUASH_SHIFT) - 1)
    return params[step] + (((params[step + 1] - params[step]) * rest) >> net_at.SQUASH_SHIFT)


@inlined
def accumulator_seen(row: Ints, work: Ints) -> int:
    """Returns the place of the accumulator of the player to move."""
    return work[at.ACCUMULATOR] + net_at.WIDTH * row[rules_at.PLAYER]


@embedded
def network_score(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, seen: int) -> int:
    """Returns the static evaluation of a position in play, for the player to move, whose accumulator is at `seen`."""
    viewer = row[rules_at.PLAYER]
    first = net_at.FREE_CHOICE
    second = net_at.NOTHING
    destined = 0
    if row[rules_at.SENT] != 0:
        destined = rules[rules_at.SENT_TO + row[rules_at.SENT]] & ~row[rules_at.CLOSED]
    if destined != 0:
        first = row_seen(work, lowest_bit(destined), viewer) + net_at.WIDTH
        destined &= destined - 1
        if destined != 0:
            second = row_seen(work, lowest_bit(destined), viewer) + net_at.WIDTH
    bonus = net_at.BONUS_MOVE if row[rules_at.BONUS] != 0 else net_at.NOTHING
    stage = net_at.STAGES * viewer + row[rules_at.PLY]
    total = output_sum(net, seen, first, second, bonus, params[net_at.OUTPUT_AT + stage])
    return squashed(params, total + params[net_at.OUTPUT_BIAS + stage])


@embedded
def score_closed_network(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, block: int) -> int:
    """Returns the static evaluation after a move that closed a block, which `row` has, but not the accumulators."""
    viewer = row[rules_at.PLAYER]
    closed = closed_row(row, block, viewer)
    exchange_rows(net, net_at.BASE, accumulator_seen(row, work), closed, row_seen(work, block, viewer))
    return network_score(rules, row, params, work, net, net_at.BASE)


@embedded
def begin_quiet_network(row: Ints, params: Ints, work: Ints, net: Ints, block: int) -> None:
    """Computes the opponent's accumulator without a block, into BASE."""
    viewer = 1 - row[rules_at.PLAYER]
    seen = work[at.ACCUMULATOR] + net_at.WIDTH * viewer
    exchange_rows(net, net_at.BASE, seen, net_at.NOTHING, row_seen(work, block, viewer))


@embedded
def score_quiet_network(rules: Ints, row: Ints, params: Ints, work: Ints, net: Ints, block: int, cells: int) -> None:
    """Writes to QUIET_SUMS the sums of the output, for the player to move, of quiet moves in some cells of a block."""
    player = row[rules_at.PLAYER]
    viewer = 1 - player
    mine = cells_of(row, params, player, block)
    other = cells_of(row, params, viewer, block)
    unclosed = rules[rules_at.ALL_BLOCKS] & ~row[rules_at.CLOSED]
    stage = net_at.STAGES * viewer + row[rules_at.PLY] + 1
    output, bias = params[net_at.OUTPUT_AT + stage], params[net_at.OUTPUT_BIAS + stage]
    while cells != 0:
        cell = lowest_bit(cells)
        cells &= cells - 1
        after = row_of(params, work, net, block, other, mine | (1 << cell))
        first = net_at.FREE_CHOICE
        second = net_at.NOTHING
        destined = params[at.SEND + cell] & unclosed
        if destined != 0:
            to = lowest_bit(destined)
            first = (after if to == block else row_seen(work, to, viewer)) + net_at.WIDTH
            destined &= destined - 1
            if destined != 0:
                to = lowest_bit(destined)
                second = (after if to == block else row_seen(work, to, viewer)) + net_at.WIDTH
        total = output_sum(net, net_at.BASE, after, first, second, output)
        work[at.QUIET_SUMS + cell] = -(total + bias)
