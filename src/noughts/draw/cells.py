"""Cells by number and by place, and the short texts that callers put in empty ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from noughts.notation import quoted
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import View

MAX_LABEL = 3


def cell_number(rules: Rules, block: int, row: int, col: int) -> int:
    """The number, row-major over all boards, of a cell by its row and column in a block of a nested game."""
    board, place = divmod(block, rules.cells)
    down, across = divmod(place, rules.side)
    return (board * rules.width + down * rules.side + row) * rules.width + across * rules.side + col


def block_of(rules: Rules, cell: int) -> int:
    """The block that a cell, by its number, lies in."""
    if not rules.nested:
        return 0
    board, place = divmod(cell, rules.width**2)
    row, col = divmod(place, rules.width)
    return board * rules.cells + row // rules.side * rules.side + col // rules.side


def check_labels(view: View, labels: Mapping[int, str]) -> None:
    """ValueError unless each label is for an empty cell, and 1 to 3 printable characters of one column each."""
    for cell, label in labels.items():
        if not 0 <= cell < len(view.cells):
            raise ValueError(f"there is no cell {cell} to label; cells are 0 to {len(view.cells) - 1}")
        if view.cells[cell] != EMPTY:
            raise ValueError(f"cell {cell} holds a mark; only empty cells can be labelled")
        if not 1 <= len(label) <= MAX_LABEL or not all(map(_one_column, label)):
            raise ValueError(
                f"the label {quoted(label)} of cell {cell} should be 1 to {MAX_LABEL} printable characters"
            )


def _one_column(char: str) -> bool:
    return char.isprintable() and not unicodedata.combining(char) and unicodedata.east_asian_width(char) not in "WF"
