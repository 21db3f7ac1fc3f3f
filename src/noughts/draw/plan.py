"""Where things lie in a picture. Lengths are in units of the SVG; a flat board is one block of larger cells."""

from __future__ import annotations

from noughts.draw.shapes import Point
from noughts.rules.spec import Rules

MARGIN = 16.0
GAP = 24.0  # between boards
EDGE = 18.0  # for the row and column numbers of nested games
CAPTION = 26.0  # for "board 0" where there are several
FLAT_CELL, NESTED_CELL = 72.0, 34.0
INSET = 8.0  # between the cells of a block and the thick lines of a nested board
ABREAST = 3  # boards beside each other; more go below


class Plan:
    """cell, block, board: their sides. width, height: of the whole picture. numbered: whether edges carry numbers."""

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
        """The top left corner of a board, below its caption and right of its row numbers."""
        down, across = divmod(board, ABREAST)
        x = MARGIN + self._left + across * (self._left + self.board + GAP)
        y = MARGIN + self._top + down * (self._top + self.board + GAP)
        return x, y

    def block_corner(self, block: int) -> Point:
        board, place = divmod(block, self.rules.cells)
        row, col = divmod(place, self.rules.side)
        x, y = self.board_corner(board)
        return x + col * self.block, y + row * self.block

    def block_centre(self, block: int) -> Point:
        x, y = self.block_corner(block)
        return x + self.block / 2, y + self.block / 2

    def cell_corner(self, cell: int) -> Point:
        """By a cell's number, row-major over all boards."""
        rules = self.rules
        board, place = divmod(cell, rules.width**2)
        row, col = divmod(place, rules.width)
        x, y = self.board_corner(board)
        return x + self.along(col), y + self.along(row)

    def cell_centre(self, cell: int) -> Point:
        x, y = self.cell_corner(cell)
        return x + self.cell / 2, y + self.cell / 2

    def along(self, place: int) -> float:
        """How far from the board's edge a row or column of cells begins."""
        return place * self.cell + self.inset * (1 + 2 * (place // self.rules.side))
