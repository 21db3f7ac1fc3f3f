"""Maps state rows by symmetries, compiled. The table of a symmetry is laid out in `layout.py`."""

from __future__ import annotations

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.jit import embedded, entry, inlined, int64


@inlined
def _map_blocks(blocks: int, tables: Ints, start: int) -> int:
    image = 0
    while blocks != 0:
        image |= 1 << tables[start + at.BLOCK_TO + lowest_bit(blocks)]
        blocks &= blocks - 1
    return image


@embedded
def _map_row(rules: Ints, row: Ints, tables: Ints, start: int, image: Ints) -> None:
    """Writes to `image` the image of `row` under the symmetry at tables[start:]."""
    for i in range(rules[at.ROW_WORDS]):
        image[i] = 0
    image[at.PLAYER] = row[at.PLAYER]
    image[at.STATUS] = row[at.STATUS]
    image[at.WINNER] = row[at.WINNER]
    image[at.BONUS] = row[at.BONUS]
    image[at.PLY] = row[at.PLY]
    image[at.SENT] = 0 if row[at.SENT] == 0 else tables[start + at.CELL_TO + row[at.SENT] - 1] + 1
    image[at.LAST] = -1
    if row[at.LAST] >= 0:
        block, cell = row[at.LAST] >> 8, (row[at.LAST] >> 4) & 15
        spot = (tables[start + at.BLOCK_TO + block] << 4) | tables[start + at.CELL_TO + cell]
        image[at.LAST] = (spot << 4) | tables[start + at.MARK_TO + (row[at.LAST] & 15)]
    image[at.CLOSED] = _map_blocks(row[at.CLOSED], tables, start)
    image[at.WON] = _map_blocks(row[at.WON], tables, start)
    image[at.WON + 1] = _map_blocks(row[at.WON + 1], tables, start)
    for mark in range(rules[at.MARKS]):
        new_mark = tables[start + at.MARK_TO + mark]
        for block in range(rules[at.BLOCKS]):
            new_block = tables[start + at.BLOCK_TO + block]
            cells = row[rules[at.PLANES] + mark * rules[at.BLOCKS] + block]
            while cells != 0:
                new_cell = tables[start + at.CELL_TO + lowest_bit(cells)]
                cells &= cells - 1
                image[at.TAKEN + new_block] |= 1 << new_cell
                image[rules[at.PLANES] + new_mark * rules[at.BLOCKS] + new_block] |= 1 << new_cell
                image[at.USED] |= rules[at.ONCE] << new_mark
                if rules[at.SUM] != 0:
                    for i in range(rules[at.LINES_AT + at.CELL_LINE_WORDS * new_cell]):
                        image[rules[at.SUMS] + rules[at.LINES_AT + at.CELL_LINE_WORDS * new_cell + 1 + i]] += (
                            new_mark + 1
                        )


@entry(atomic=True)
def map_row(rules: Ints, row: Ints, table: Ints, image: Ints) -> None:
    """Writes to `image` the image of `row` under one symmetry."""
    _map_row(rules, row, table, int64(0), image)


@entry(atomic=True)
def least_row(rules: Ints, row: Ints, tables: Ints, best: Ints, image: Ints) -> None:
    """Writes to `best` the least image of `row`, compared word by word without the last move; `image` is scratch."""
    for start in range(0, len(tables), at.SYMMETRY_WORDS):
        _map_row(rules, row, tables, start, image)
        image[at.LAST] = -1
        less = start == 0
        i = 0
        while not less and i < rules[at.ROW_WORDS] and image[i] <= best[i]:
            less = image[i] < best[i]
            i += 1
        if less:
            for i in range(rules[at.ROW_WORDS]):
                best[i] = image[i]
