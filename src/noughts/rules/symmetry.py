"""Finds symmetries: permutations of cells, boards and marks that preserve the rules of a game.

They are computed, not listed: all permutations of the cells that map lines to lines (and blocks to blocks of equal
points), all permutations of the marks that map winning sets of marks to winning ones and let the same
player place them, and all permutations of the boards. In a nested game a move in cell c sends to block c, so
cells and blocks are permuted alike. For example, `wild` can exchange X and O, and `numerical` has not only
n <-> 10-n: the eight triples that sum to 15 are the lines of a magic square, so its numbers have that
square's eight symmetries, each of which keeps odd numbers odd.

They are applied by compiled code in `images.py`, loaded at its first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice, permutations, product
from typing import TYPE_CHECKING

import numpy as np

from noughts.rules.calls import load_at_first_call
from noughts.rules.geometry import block_on, board_and_block, index_in, place_of
from noughts.rules.kernels.layout import BLOCK_TO, CELL_TO, MARK_TO, SYMMETRY_WORDS
from noughts.rules.kernels.tables import Array, fact_table
from noughts.rules.spec import Rules

if TYPE_CHECKING:
    from noughts.rules.kernels.images import least_row, map_row
else:
    load_at_first_call(globals(), "least_row", "map_row")

MOST = 720
"""Maximum number of permutations of marks, or of boards (6!); a larger set keeps only the identity."""

MOST_OF_CELLS = 2000
"""Maximum number of permutations of cells; a larger set keeps only turns and reflections of the board.

A few lines on a 4x4 board can have millions; those on 3x3 boards worth playing have fewer.
"""

MOST_SUMS = 5000
"""Maximum number of listed sets of marks that make the sum of a line. With more, only the reversal of the marks
(largest with smallest, and so on) is considered.

Sixteen marks on a line of sixteen cells can make a sum in millions of ways.
"""

GAMES_KEPT = 16
"""Number of games whose symmetries are cached: generated rules make thousands of games."""

Permutation = tuple[int, ...]


@dataclass(frozen=True)
class Symmetry:
    """One symmetry of a game. `apply` maps a state row, `action_to[a]` is the image of action a."""

    rules: Rules = field(repr=False)
    cell_to: Permutation
    board_to: Permutation
    mark_to: Permutation
    action_to: tuple[int, ...] = field(repr=False)
    _table: Array = field(repr=False, compare=False)

    def apply(self, row: Array) -> Array:
        """Returns the image of a state row, as a new row."""
        image = np.zeros_like(row)
        map_row(_facts(self.rules), row, self._table, image)
        return image


@lru_cache(GAMES_KEPT)
def symmetries(rules: Rules, at_most: int | None = None) -> Sequence[Symmetry]:
    """Returns all symmetries of a game, the identity first.

    at_most: if there are more, only those that keep every mark; if these are too many as well, only the identity. The
    result is always a group. Symmetries are counted before any is built: there can be a million.
    """
    cells, boards, marks = _permutations(rules)
    if at_most is not None and len(cells) * len(boards) * len(marks) > at_most:
        marks = marks[:1]
        if len(cells) * len(boards) > at_most:
            cells, boards = cells[:1], boards[:1]
    return tuple(_symmetry(rules, *parts) for parts in product(cells, boards, marks))


def _permutations(rules: Rules) -> tuple[list[Permutation], list[Permutation], list[Permutation]]:
    """Returns the permutations of cells, boards and marks that every symmetry is made of, the identities first."""
    colours = rules.block_points or (0,) * rules.cells
    lines = {tuple(sorted(line)) for line in rules.lines}
    cells = list(islice(_automorphisms(rules.cells, lines, colours), MOST_OF_CELLS + 1))
    if len(cells) > MOST_OF_CELLS:
        cells = [turn for turn in _turns(rules.side) if _is_automorphism(turn, lines, colours)]
    boards = _at_most(permutations(range(rules.boards)), rules.boards)
    return cells, boards, _mark_symmetries(rules)


def canonical_row(rules: Rules, facts: Array, row: Array) -> Array:
    """Returns the least image of a state row, without its last move: the same for all symmetric positions."""
    best, image = np.zeros_like(row), np.zeros_like(row)
    least_row(facts, row, _tables(rules), best, image)
    return best


def _automorphisms(points: int, edges: set[Permutation], colours: Sequence[object]) -> Iterator[Permutation]:
    """Yields the permutations of 0..points-1 that preserve colours and map edges (sorted tuples) to edges.

    Colours are refined first (see `refined`), and two images must share as many edges as the points do, so the search
    seldom follows a wrong branch far.
    """
    kinds = refined(points, edges, colours)
    complete_at = [[edge for edge in edges if edge[-1] == p] for p in range(points)]
    shared = [[_shared(edges, p, q) for q in range(points)] for p in range(points)]

    def extend(image: Permutation) -> Iterator[Permutation]:
        point = len(image)
        if point == points:
            yield image
            return
        for target in range(points):
            if target in image or kinds[target] != kinds[point]:
                continue
            if any(shared[point][p] != shared[target][q] for p, q in enumerate(image)):
                continue
            longer = (*image, target)
            if all(tuple(sorted(longer[p] for p in edge)) in edges for edge in complete_at[point]):
                yield from extend(longer)

    return extend(())


def refined(points: int, edges: Iterable[Permutation], colours: Sequence[object]) -> list[int]:
    """Refines colours: points keep a common colour only if their edges look alike too, until nothing changes.

    Returns the colours as 0, 1, ... in an order that does not depend on the numbering of the points.
    """
    through = [[edge for edge in edges if p in edge] for p in range(points)]
    order = {colour: n for n, colour in enumerate(sorted(set(colours), key=repr))}
    now = [order[colour] for colour in colours]
    while True:
        looks = [
            (now[p], sorted((edge.count(p), sorted(now[q] for q in edge)) for edge in through[p]))
            for p in range(points)
        ]
        ranks: list[object] = [look for look, _ in groupby(sorted(looks))]
        if len(ranks) == len(set(now)):
            return now
        now = [ranks.index(look) for look in looks]


def _shared(edges: Iterable[Permutation], p: int, q: int) -> list[int]:
    """Returns the lengths of the edges through both points."""
    return sorted(len(edge) for edge in edges if p in edge and q in edge)


def _turns(side: int) -> list[Permutation]:
    """Returns the eight turns and reflections of a square of cells, the identity first."""
    square = np.arange(side * side).reshape(side, side)
    return [tuple(np.rot90(board, turns).ravel().tolist()) for board in (square, square.T) for turns in range(4)]


def _is_automorphism(image: Permutation, edges: set[Permutation], colours: Sequence[object]) -> bool:
    return all(colours[p] == colours[q] for p, q in enumerate(image)) and all(
        tuple(sorted(image[p] for p in edge)) in edges for edge in edges
    )


def _mark_symmetries(rules: Rules) -> list[Permutation]:
    """Returns the permutations of the marks that map winning sets of marks to winning ones and keep the players who
    place them."""
    marks, lengths = len(rules.marks), {len(line) for line in rules.lines}
    if rules.line_sum is None:
        winning = {(mark,) * length for mark in range(marks) for length in lengths}
    else:
        listed = [sums for length in lengths for sums in islice(_sums(rules, length, rules.line_sum), MOST_SUMS + 1)]
        if len(listed) > MOST_SUMS:
            same, turned = tuple(range(marks)), tuple(range(marks))[::-1]
            keeps_sums = all(2 * rules.line_sum == length * (marks + 1) for length in lengths)
            return [same, turned] if keeps_sums and _placers(rules) == _placers(rules)[::-1] else [same]
        winning = set(listed)
    return _at_most(_automorphisms(marks, winning, _placers(rules)), marks)


def _sums(rules: Rules, length: int, total: int) -> Iterator[Permutation]:
    """Yields the rising collections of `length` marks that sum to `total`."""
    marks, apart = len(rules.marks), int(rules.once)

    def extend(chosen: Permutation, least: int, left: int, total: int) -> Iterator[Permutation]:
        """Yields all ways to add `left` marks from number `least` on. The n-th mark is worth n, counted from 1."""
        if left == 0:
            yield chosen
            return
        gaps = apart * left * (left - 1) // 2
        for mark in range(least, marks):
            if left * (mark + 1) + gaps > total:  # even the smallest continuation is too much
                return
            rest = total - (mark + 1)
            if (left - 1) * marks - apart * (left - 1) * (left - 2) // 2 >= rest:
                yield from extend((*chosen, mark), mark + apart, left - 1, rest)

    return extend((), 0, length, total)


def _placers(rules: Rules) -> list[tuple[bool, bool]]:
    return [(mark in rules.places[0], mark in rules.places[1]) for mark in rules.marks]


def _at_most(found: Iterator[Permutation], size: int) -> list[Permutation]:
    some = list(islice(found, MOST + 1))
    return some if len(some) <= MOST else [tuple(range(size))]


def _symmetry(rules: Rules, cell_to: Permutation, board_to: Permutation, mark_to: Permutation) -> Symmetry:
    table = np.zeros(SYMMETRY_WORDS, np.int64)
    for block in range(rules.blocks):
        board, number = board_and_block(rules, block)
        table[BLOCK_TO + block] = block_on(rules, board_to[board], cell_to[number])
    table[CELL_TO : CELL_TO + rules.cells] = cell_to
    table[MARK_TO : MARK_TO + len(rules.marks)] = mark_to
    actions = []
    for action in range(rules.num_actions):
        index, mark = divmod(action, rules.choices)
        *_, block, cell = place_of(rules, index)
        image = index_in(rules, int(table[BLOCK_TO + block]), cell_to[cell])
        actions.append(image * rules.choices + (mark_to[mark] if rules.choices > 1 else 0))
    return Symmetry(rules, cell_to, board_to, mark_to, tuple(actions), table)


@lru_cache(GAMES_KEPT)
def _facts(rules: Rules) -> Array:
    return fact_table(rules)


@lru_cache(GAMES_KEPT)
def _tables(rules: Rules) -> Array:
    return np.concatenate([symmetry._table for symmetry in symmetries(rules)])
