"""Where things are on the boards of a game, and parts to write records with: lines, and weights by place.

A place has several numbers, all from 0 and row by row from the top left:

    index       of a cell over all boards: what actions are made of
    row, col    of a cell on its board
    block       of a block over all boards; a flat game has one
    cell        of a cell in its block, and so of the block on each board that a move there sends to

The kernel's *move* is `block << 8 | cell << 4 | mark`, and the public *action* is `index * choices + mark`.

Bots import this in the sandbox, so nothing here needs NumPy or compiled code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from noughts.rules.spec import Line, Rules

T = TypeVar("T")


class Place(NamedTuple):
    """A cell: its board, its row and column on it, its block, and its number in the block."""

    board: int
    row: int
    col: int
    block: int
    cell: int


def place_of(rules: Rules, index: int) -> Place:
    """The place of a cell."""
    side = rules.side
    board, row, col = in_squares(index, rules.width)
    block = board * side * side + row // side * side + col // side
    return Place(board, row, col, block, row % side * side + col % side)


def in_squares(number: int, width: int) -> tuple[int, int, int]:
    """Square, row and column of a number counted over squares of `width` x `width` one after the other."""
    square, rest = divmod(number, width * width)
    return square, *divmod(rest, width)


def index_at(rules: Rules, board: int, row: int, col: int) -> int:
    """The cell at a row and a column of a board."""
    return (board * rules.width + row) * rules.width + col


def index_in(rules: Rules, block: int, cell: int) -> int:
    """A cell by its number in a block."""
    return _indices(rules, [block << 4 | cell])[0]


def cells_of_block(rules: Rules, block: int) -> list[int]:
    """All cells of a block, in its order."""
    return _indices(rules, range(block << 4, (block << 4) + rules.cells))


def block_of(rules: Rules, index: int) -> int:
    """The block of a cell."""
    return place_of(rules, index).block


@lru_cache(256)
def blocks_of_cells(rules: Rules) -> tuple[int, ...]:
    """The block of every cell, by index."""
    return tuple(block_of(rules, index) for index in range(rules.blocks * rules.cells))


def board_and_block(rules: Rules, block: int) -> tuple[int, int]:
    """The board of a block, and the block's number on it."""
    return divmod(block, rules.cells) if rules.nested else (0, 0)


def block_on(rules: Rules, board: int, number: int) -> int:
    """A block by its board and its number there."""
    return board * rules.cells + number if rules.nested else 0


def row_and_column(rules: Rules, number: int) -> tuple[int, int]:
    """Returns row and column of a cell in its block, or of a block on its board, by its number there."""
    return divmod(number, rules.side)


def destined_blocks(rules: Rules, cell: int) -> list[int]:
    """The blocks, one on each board, that a move in this cell of a block sends to."""
    return [block_on(rules, board, cell) for board in range(rules.boards)]


def cell_rows(rules: Rules, cells: Sequence[T]) -> list[list[Sequence[T]]]:
    """What is given for each cell (by index): for each board its rows."""
    return _squares(cells, rules.width)


def block_rows(rules: Rules, blocks: Sequence[T]) -> list[list[Sequence[T]]]:
    """What is given for each block of a nested game: for each board its rows of blocks."""
    return _squares(blocks, rules.side)


def _squares(values: Sequence[T], width: int) -> list[list[Sequence[T]]]:
    found = [values[start : start + width] for start in range(0, len(values), width)]
    return [found[start : start + width] for start in range(0, len(found), width)]


# Cells as people and bots name them: row and column, with the board before them where there are several.


def coordinates(rules: Rules, index: int) -> tuple[int, ...]:
    """(row, column), or (board, row, column) where there are several boards."""
    where = in_squares(index, rules.width)
    return where[1:] if rules.boards == 1 else where


def index_of(rules: Rules, where: Sequence[int]) -> int | None:
    """The cell at such coordinates; None if there is none, or if they are too few or too many."""
    boards, width = rules.boards, rules.width
    if len(where) != (2 if boards == 1 else 3):
        return None
    board, row, col = where if boards > 1 else (0, *where)
    if not (0 <= board < boards and 0 <= row < width and 0 <= col < width):
        return None
    return index_at(rules, board, row, col)


# Actions and moves.


def placement(rules: Rules, player: int, action: int) -> tuple[int, int]:
    """The cell (its index) and the mark (its number) of a player's action."""
    index, mark = divmod(action, rules.choices)
    return index, rules.marks.index(rules.places[player]) if rules.choices == 1 else mark


def index_of_move(rules: Rules, move: int) -> int:
    """The cell of an encoded move."""
    return _indices(rules, [move >> 4])[0]


def actions_of(rules: Rules, moves: Sequence[int]) -> list[int]:
    """The actions that encoded moves are."""
    indices, choices = _indices(rules, [move >> 4 for move in moves]), rules.choices
    if choices == 1:
        return indices
    return [index * choices + (move & 15) for index, move in zip(indices, moves, strict=True)]


def action_of(rules: Rules, move: int) -> int:
    """The action that an encoded move is."""
    return actions_of(rules, [move])[0]


def _indices(rules: Rules, spots: Iterable[int]) -> list[int]:
    """The cells of spots, `block << 4 | cell`. Rows of blocks are counted over all boards."""
    side, width = rules.side, rules.width
    return [
        ((spot >> 4) // side * side + (spot & 15) // side) * width + (spot >> 4) % side * side + (spot & 15) % side
        for spot in spots
    ]


# Lines.


def rows(side: int) -> tuple[Line, ...]:
    return tuple(tuple(side * row + col for col in range(side)) for row in range(side))


def columns(side: int) -> tuple[Line, ...]:
    return tuple(tuple(side * row + col for row in range(side)) for col in range(side))


def diagonals(side: int) -> tuple[Line, ...]:
    return (
        tuple(side * i + i for i in range(side)),
        tuple(side * i + side - 1 - i for i in range(side)),
    )


def diamonds(side: int) -> tuple[Line, ...]:
    """For each inner cell, its four neighbours without the cell itself."""
    return tuple(
        (side * (row - 1) + col, side * row + col - 1, side * row + col + 1, side * (row + 1) + col)
        for row in range(1, side - 1)
        for col in range(1, side - 1)
    )


def k_in_a_row(side: int, k: int) -> tuple[Line, ...]:
    """All lines of `k` neighbouring cells along a row, a column or a diagonal of any length."""
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    return tuple(
        tuple((row + i * down) * side + col + i * right for i in range(k))
        for down, right in steps
        for row in range(side)
        for col in range(side)
        if 0 <= row + (k - 1) * down < side and 0 <= col + (k - 1) * right < side
    )


def weights(side: int, corner: int, edge: int, centre: int) -> tuple[int, ...]:
    """A number for each place of a square: corners, other places on the edge, inner places."""
    by_edges = (centre, edge, corner)
    border = (0, side - 1)
    return tuple(by_edges[(row in border) + (col in border)] for row in range(side) for col in range(side))


def line_mask(line: Line) -> int:
    """The cells of a line as bits."""
    return sum(1 << cell for cell in line)
