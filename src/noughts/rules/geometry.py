"""Parts to write records with: lines of a square board, and weights by place."""

from __future__ import annotations

from noughts.rules.spec import Line


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


def weights(side: int, corner: int, edge: int, centre: int) -> tuple[int, ...]:
    """A number for each place of a square: corners, other places on the edge, inner places."""
    by_edges = (centre, edge, corner)
    border = (0, side - 1)
    return tuple(by_edges[(row in border) + (col in border)] for row in range(side) for col in range(side))


def line_mask(line: Line) -> int:
    """The cells of a line as bits."""
    return sum(1 << cell for cell in line)
