"""Symmetries: exchanges of cells, boards and marks that leave the rules of a game as they are.

They are found, not listed: all permutations of the cells that map lines to lines (and blocks to blocks of equal
points), all permutations of the marks that map winning sets of marks to winning ones and let the same
player place them, and all permutations of the boards. In a nested game a move in cell c sends to block c, so
cells and blocks are permuted alike. So `wild` can exchange X and O, and `numerical` has not only
n <-> 10-n: the eight triples that sum to 15 are the lines of a magic square, so its numbers have that
square's eight symmetries, each of which keeps odd numbers odd.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement, islice, permutations, product

import numpy as np

from noughts.rules import layout as at
from noughts.rules.bits import lowest_bit
from noughts.rules.jit import Ints, entry, inlined
from noughts.rules.layout import (
    BLOCKS,
    BONUS,
    CLOSED,
    LAST,
    LINES_AT,
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
    TAKEN,
    USED,
    WINNER,
    WON,
)
from noughts.rules.spec import Rules
from noughts.rules.tables import Array, fact_table

MOST = 720
"""Of the permutations of marks, or of boards, no more than this (6!) are kept; of larger sets only the identity."""

Permutation = tuple[int, ...]

# One symmetry in the kernel's table: where blocks, cells and marks go.
BLOCK_TO, CELL_TO, MARK_TO, SYMMETRY_WORDS = 0, 64, 80, 96


@dataclass(frozen=True)
class Symmetry:
    """One symmetry of a game. `apply` maps a state row, `action_to[a]` is the image of action a."""

    rules: Rules
    cell_to: Permutation
    board_to: Permutation
    mark_to: Permutation
    action_to: tuple[int, ...] = field(repr=False)
    _table: Array = field(repr=False, compare=False)

    def apply(self, row: Array) -> Array:
        """The image of a state row, as a new one."""
        image = np.zeros_like(row)
        map_row(_facts(self.rules), row, self._table, image)
        return image


@cache
def symmetries(rules: Rules) -> Sequence[Symmetry]:
    """All symmetries of a game; the first is the identity."""
    colours = rules.block_points or (0,) * rules.cells
    cells = list(_automorphisms(rules.cells, {tuple(sorted(line)) for line in rules.lines}, colours))
    marks = _at_most(_automorphisms(len(rules.marks), _winning_marks(rules), _placers(rules)), len(rules.marks))
    boards = _at_most(permutations(range(rules.boards)), rules.boards)
    return tuple(_symmetry(rules, *parts) for parts in product(cells, boards, marks))


def canonical_row(rules: Rules, facts: Array, row: Array) -> Array:
    """The least of the images of a state row, its last move forgotten: the same for all symmetric positions."""
    best, image = np.zeros_like(row), np.zeros_like(row)
    least_row(facts, row, _tables(rules), best, image)
    return best


def _automorphisms(points: int, edges: set[Permutation], colours: Sequence[object]) -> Iterator[Permutation]:
    """The permutations of 0..points-1 that keep colours and map edges (sorted tuples) to edges."""
    kinds = [(colours[p], sum(edge.count(p) for edge in edges)) for p in range(points)]
    complete_at = [[edge for edge in edges if edge[-1] == p] for p in range(points)]

    def extend(image: Permutation) -> Iterator[Permutation]:
        point = len(image)
        if point == points:
            yield image
            return
        for target in range(points):
            if target in image or kinds[target] != kinds[point]:
                continue
            longer = (*image, target)
            if all(tuple(sorted(longer[p] for p in edge)) in edges for edge in complete_at[point]):
                yield from extend(longer)

    return extend(())


def _winning_marks(rules: Rules) -> set[Permutation]:
    """The collections of marks that make a line."""
    marks = range(len(rules.marks))
    lengths = {len(line) for line in rules.lines}
    if rules.line_sum is None:
        return {(mark,) * length for mark in marks for length in lengths}
    draw = combinations if rules.once else combinations_with_replacement
    return {chosen for length in lengths for chosen in draw(marks, length) if sum(chosen) + length == rules.line_sum}


def _placers(rules: Rules) -> list[tuple[bool, bool]]:
    return [(mark in rules.places[0], mark in rules.places[1]) for mark in rules.marks]


def _at_most(found: Iterator[Permutation], size: int) -> list[Permutation]:
    some = list(islice(found, MOST + 1))
    return some if len(some) <= MOST else [tuple(range(size))]


def _symmetry(rules: Rules, cell_to: Permutation, board_to: Permutation, mark_to: Permutation) -> Symmetry:
    facts = _facts(rules)
    table = np.zeros(SYMMETRY_WORDS, np.int64)
    for block in range(rules.blocks):
        board, place = divmod(block, rules.cells)
        table[BLOCK_TO + block] = board_to[board] * rules.cells + cell_to[place] if rules.nested else 0
    table[CELL_TO : CELL_TO + rules.cells] = cell_to
    table[MARK_TO : MARK_TO + len(rules.marks)] = mark_to
    actions = []
    for action in range(rules.num_actions):
        index, mark = divmod(action, rules.choices)
        block, cell = divmod(int(facts[at.SPOT_OF + index]), 16)
        image = int(facts[at.INDEX_OF + (int(table[BLOCK_TO + block]) << 4 | cell_to[cell])])
        actions.append(image * rules.choices + (mark_to[mark] if rules.choices > 1 else 0))
    return Symmetry(rules, cell_to, board_to, mark_to, tuple(actions), table)


@cache
def _facts(rules: Rules) -> Array:
    return fact_table(rules)


@cache
def _tables(rules: Rules) -> Array:
    return np.concatenate([symmetry._table for symmetry in symmetries(rules)])


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
