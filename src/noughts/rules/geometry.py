"""Coordinates of cells, blocks and boards, and helpers that build lines and weights for records.

A place has several numbers, all counted from 0, row by row from the top left:

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
    """Returns the place of a cell."""
    side = rules.side
    board, row, col = in_squares(index, rules.width)
    block = board * side * side + row // side * side + col // side
    return Place(board, row, col, block, row % side * side + col % side)


def in_squares(number: int, width: int) -> tuple[int, int, int]:
    """Returns square, row and column of a number that counts the cells of consecutive `width` x `width` squares."""
    square, rest = divmod(number, width * width)
    return square, *divmod(rest, width)


def index_at(rules: Rules, board: int, row: int, col: int) -> int:
    """Returns the cell at a row and a column of a board."""
    return (board * rules.width + row) * rules.width + col


def index_in(rules: Rules, block: int, cell: int) -> int:
    """Returns a cell by its number in a block."""
    return _indices(rules, [block << 4 | cell])[0]


def cells_of_block(rules: Rules, block: int) -> list[int]:
    """Returns all cells of a block, in its order."""
    return _indices(rules, range(block << 4, (block << 4) + rules.cells))


def block_of(rules: Rules, index: int) -> int:
    """Returns the block of a cell."""
    return place_of(rules, index).block


@lru_cache(256)
def blocks_of_cells(rules: Rules) -> tuple[int, ...]:
    """Returns the block of every cell, by index."""
    return tuple(block_of(rules, index) for index in range(rules.blocks * rules.cells))


def board_and_block(rules: Rules, block: int) -> tuple[int, int]:
    """Returns the board of a block, and the block's number on it."""
    return divmod(block, rules.cells) if rules.nested else (0, 0)


def block_on(rules: Rules, board: int, number: int) -> int:
    """Returns a block by its board and its number there."""
    return board * rules.cells + number if rules.nested else 0


def row_and_column(rules: Rules, number: int) -> tuple[int, int]:
    """Returns row and column of a cell in its block, or of a block on its board."""
    return divmod(number, rules.side)


def destined_blocks(rules: Rules, cell: int) -> list[int]:
    """Returns the blocks, one on each board, that a move in this cell of a block sends to."""
    return [block_on(rules, board, cell) for board in range(rules.boards)]


def cell_rows(rules: Rules, cells: Sequence[T]) -> list[list[Sequence[T]]]:
    """Groups values given per cell (by index) into rows; returns the rows of each board."""
    return _squares(cells, rules.width)


def block_rows(rules: Rules, blocks: Sequence[T]) -> list[list[Sequence[T]]]:
    """Groups values given per block of a nested game into rows; returns the rows of blocks of each board."""
    return _squares(blocks, rules.side)


def _squares(values: Sequence[T], width: int) -> list[list[Sequence[T]]]:
    found = [values[start : start + width] for start in range(0, len(values), width)]
    return [found[start : start + width] for start in range(0, len(found), width)]


# Cells by coordinates, for people and bots: row and column, preceded by the board where there are several.


def coordinates(rules: Rules, index: int) -> tuple[int, ...]:
    """Returns (row, column), or (board, row, column) in games with several boards."""
    where = in_squares(index, rules.width)
    return where[1:] if rules.boards == 1 else where


def index_of(rules: Rules, where: Sequence[int]) -> int | None:
    """Returns the cell at the coordinates; None if there is no such cell or the number of coordinates is wrong."""
    boards, width = rules.boards, rules.width
    if len(where) != (2 if boards == 1 else 3):
        return None
    board, row, col = where if boards > 1 else (0, *where)
    if not (0 <= board < boards and 0 <= row < width and 0 <= col < width):
        return None
    return index_at(rules, board, row, col)


# Actions and moves.


def placement(rules: Rules, player: int, action: int) -> tuple[int, int]:
    """Returns the cell (its index) and the mark (its number) of a player's action."""
    index, mark = divmod(action, rules.choices)
    return index, rules.marks.index(rules.places[player]) if rules.choices == 1 else mark


def index_of_move(rules: Rules, move: int) -> int:
    """Returns the cell of an encoded move."""
    return _indices(rules, [move >> 4])[0]


def actions_of(rules: Rules, moves: Sequence[int]) -> list[int]:
    """Converts encoded moves to actions."""
    indices, choices = _indices(rules, [move >> 4 for move in moves]), rules.choices
    if choices == 1:
        return indices
    return [index * choices + (move & 15) for index, move in zip(indices, moves, strict=True)]


def action_of(rules: Rules, move: int) -> int:
    """Converts an encoded move to an action."""
    return actions_of(rules, [move])[0]


def _indices(rules: Rules, spots: Iterable[int]) -> list[int]:
    """Converts spots, `block << 4 | cell`, to cell indices. Rows of blocks are counted over all boards."""
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
    """Returns a line for each inner cell: its four neighbours, without the cell itself."""
    return tuple(
        (side * (row - 1) + col, side * row + col - 1, side * row + col + 1, side * (row + 1) + col)
        for row in range(1, side - 1)
        for col in range(1, side - 1)
    )


def k_in_a_row(side: int, k: int) -> tuple[Line, ...]:
    """Returns all lines of `k` neighbouring cells along a row, a column or a diagonal of any length."""
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    return tuple(
        tuple((row + i * down) * side + col + i * right for i in range(k))
        for down, right in steps
        for row in range(side)
        for col in range(side)
        if 0 <= row + (k - 1) * down < side and 0 <= col + (k - 1) * right < side
    )


def weights(side: int, corner: int, edge: int, centre: int) -> tuple[int, ...]:
    """Returns a number for each place of a square: `corner`, `edge` for other places on the edge, `centre` for the
    rest."""
    by_edges = (centre, edge, corner)
    border = (0, side - 1)
    return tuple(by_edges[(row in border) + (col in border)] for row in range(side) for col in range(side))


def line_mask(line: Line) -> int:
    """Returns the cells of a line as bits."""
    return sum(1 << cell for cell in line)
