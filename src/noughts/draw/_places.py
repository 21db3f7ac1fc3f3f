"""Layout shared by text and pictures: positions of cells, labels, and the tones of marks.

Lengths in a picture are in units of the SVG; a flat board is one block of larger cells. A tone is a small number; text
and pictures have a palette each. Blue and vermilion are for the players, then green and purple: hues that people with
any common colour blindness tell apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from noughts.notation import quoted
from noughts.rules.geometry import board_and_block, place_of, row_and_column
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import View

Point = tuple[float, float]

MARGIN = 16.0
GAP = 24.0  # between boards
EDGE = 18.0  # for the row and column numbers of nested games
CAPTION = 26.0  # for "board 0" where there are several
FLAT_CELL, NESTED_CELL = 72.0, 34.0
INSET = 8.0  # between the cells of a block and the thick lines of a nested board
ABREAST = 3  # boards beside each other; more go below

MAX_LABEL = 3
TONES = 4


class Placement:
    """The layout of a game's picture.

    cell, block, board: their sides. width, height: of the whole picture. numbered: whether edges carry numbers.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.numbered = rules.nested
        self.cell = NESTED_CELL if rules.nested else FLAT_CELL
        self.inset = INSET if rules.nested else 0.0
        self.block = rules.side * self.cell + 2 * self.inset
        self.board = self.block * (rules.side if rules.nested else 1)
        self._left = EDGE if self.numbered else 0.0
        self._top = self._left + (CAPTION if rules.boards > 1 else 0.0)
        across = min(rules.boards, ABREAST)
        down = -(-rules.boards // ABREAST)
        self.width = 2 * MARGIN + across * (self._left + self.board) + (across - 1) * GAP
        self.height = 2 * MARGIN + down * (self._top + self.board) + (down - 1) * GAP

    def board_corner(self, board: int) -> Point:
        """Returns the top left corner of a board, below its caption and right of its row numbers."""
        down, across = divmod(board, ABREAST)
        x = MARGIN + self._left + across * (self._left + self.board + GAP)
        y = MARGIN + self._top + down * (self._top + self.board + GAP)
        return x, y

    def block_corner(self, block: int) -> Point:
        board, number = board_and_block(self.rules, block)
        row, col = row_and_column(self.rules, number)
        x, y = self.board_corner(board)
        return x + col * self.block, y + row * self.block

    def block_centre(self, block: int) -> Point:
        x, y = self.block_corner(block)
        return x + self.block / 2, y + self.block / 2

    def cell_corner(self, cell: int) -> Point:
        """Returns the top left corner of a cell, by its number, row-major over all boards."""
        place = place_of(self.rules, cell)
        x, y = self.board_corner(place.board)
        return x + self.along(place.col), y + self.along(place.row)

    def cell_centre(self, cell: int) -> Point:
        x, y = self.cell_corner(cell)
        return x + self.cell / 2, y + self.cell / 2

    def along(self, place: int) -> float:
        """Returns the distance from the board's edge to a row or column of cells."""
        return place * self.cell + self.inset * (1 + 2 * (place // self.rules.side))


def check_cells(view: View, cells: Iterable[int]) -> None:
    """Raises ValueError if one of the numbers is not a cell."""
    for cell in cells:
        if not 0 <= cell < len(view.cells):
            raise ValueError(f"there is no cell {cell}; cells are 0 to {len(view.cells) - 1}")


def check_labels(view: View, labels: Mapping[int, str]) -> None:
    """Raises ValueError unless each label is for an empty cell and has 1 to 3 printable characters of one column
    each."""
    for cell, label in labels.items():
        if not 0 <= cell < len(view.cells):
            raise ValueError(f"there is no cell {cell} to label; cells are 0 to {len(view.cells) - 1}")
        if view.cells[cell] != EMPTY:
            raise ValueError(f"cell {cell} holds a mark; only empty cells can be labelled")
        if not 1 <= len(label) <= MAX_LABEL or not all(map(_one_column, label)):
            raise ValueError(
                f"the label {quoted(label)} of cell {cell} must have 1 to {MAX_LABEL} printable characters"
            )


def _one_column(char: str) -> bool:
    return char.isprintable() and not unicodedata.combining(char) and unicodedata.east_asian_width(char) not in "WF"


def mark_tone(rules: Rules, mark: int) -> int:
    """Returns a mark's tone: that of the player who alone places it, or its own if both players place it."""
    owners = [player for player in (0, 1) if rules.marks[mark] in rules.places[player]]
    if len(owners) == 1:
        return owners[0]
    all_shared = set(rules.places[0]) == set(rules.places[1])
    return (mark if all_shared else mark + 2) % TONES
