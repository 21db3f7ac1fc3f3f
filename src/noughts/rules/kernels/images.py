"""What a symmetry makes of a state row, compiled. The table of a symmetry is laid out in `layout.py`."""

from __future__ import annotations

from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.layout import (
    BLOCK_TO,
    BLOCKS,
    BONUS,
    CELL_TO,
    CLOSED,
    LAST,
    LINES_AT,
    MARK_TO,
    MARKS,
    ONCE,
    PLANES,
    PLAYER,
    PLY,
    ROW_WORDS,
    SENT,
    STATUS,
    SUM,
    SUMS,
    SYMMETRY_WORDS,
    TAKEN,
    USED,
    WINNER,
    WON,
)


@inlined
def _map_blocks(blocks: int, tables: Ints, start: int) -> int:
    image = 0
    while blocks != 0:
        image |= 1 << tables[start + BLOCK_TO + lowest_bit(blocks)]
        blocks &= blocks - 1
    return image


@inlined
def _map_row(rules: Ints, row: Ints, tables: Ints, start: int, image: Ints) -> None:
    """Write to `image` what the symmetry at tables[start:] makes of `row`."""
    for i in range(rules[ROW_WORDS]):
        image[i] = 0
    image[PLAYER] = row[PLAYER]
    image[STATUS] = row[STATUS]
    image[WINNER] = row[WINNER]
    image[BONUS] = row[BONUS]
    image[PLY] = row[PLY]
    image[SENT] = 0 if row[SENT] == 0 else tables[start + CELL_TO + row[SENT] - 1] + 1
    image[LAST] = -1
    if row[LAST] >= 0:
        spot = (tables[start + BLOCK_TO + (row[LAST] >> 8)] << 4) | tables[start + CELL_TO + ((row[LAST] >> 4) & 15)]
        image[LAST] = (spot << 4) | tables[start + MARK_TO + (row[LAST] & 15)]
    image[CLOSED] = _map_blocks(row[CLOSED], tables, start)
    image[WON] = _map_blocks(row[WON], tables, start)
    image[WON + 1] = _map_blocks(row[WON + 1], tables, start)
    for mark in range(rules[MARKS]):
        new_mark = tables[start + MARK_TO + mark]
        for block in range(rules[BLOCKS]):
            new_block = tables[start + BLOCK_TO + block]
            cells = row[rules[PLANES] + mark * rules[BLOCKS] + block]
            while cells != 0:
                new_cell = tables[start + CELL_TO + lowest_bit(cells)]
                cells &= cells - 1
                image[TAKEN + new_block] |= 1 << new_cell
                image[rules[PLANES] + new_mark * rules[BLOCKS] + new_block] |= 1 << new_cell
                image[USED] |= rules[ONCE] << new_mark
                if rules[SUM] != 0:
                    for i in range(rules[LINES_AT + 33 * new_cell]):
                        image[rules[SUMS] + rules[LINES_AT + 33 * new_cell + 1 + i]] += new_mark + 1


@entry("void(int64[::1], int64[::1], int64[::1], int64[::1])")
def map_row(rules: Ints, row: Ints, table: Ints, image: Ints) -> None:
    """Write to `image` what one symmetry makes of `row`."""
    _map_row(rules, row, table, 0, image)


@entry("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def least_row(rules: Ints, row: Ints, tables: Ints, best: Ints, image: Ints) -> None:
    """Write to `best` the least image of `row`, word by word, last moves left out; `image` is scratch."""
    for start in range(0, len(tables), SYMMETRY_WORDS):
        _map_row(rules, row, tables, start, image)
        image[LAST] = -1
        less = start == 0
        i = 0
        while not less and i < rules[ROW_WORDS] and image[i] <= best[i]:
            less = image[i] < best[i]
            i += 1
        if less:
            for i in range(rules[ROW_WORDS]):
                best[i] = image[i]
