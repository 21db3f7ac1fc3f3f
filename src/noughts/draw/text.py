"""A board as text.

Thick lines are around what matters: the blocks that take the next mark; at the end, the line that decided. Square
brackets are around the last move. In a nested game, dots are the cells that one may play to.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from noughts.draw.canvas import Canvas
from noughts.draw.cells import cell_number, check_labels
from noughts.draw.frame import draw_frame
from noughts.draw.large import large_draw, large_mark
from noughts.draw.status import status
from noughts.draw.tones import mark_tone
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, OPEN, View

WIDTH = 80
GAP = 3  # columns between boards side by side
EDGE = 3  # columns for row numbers

_TONES = ("1;38;5;33", "1;38;5;166", "1;38;5;36", "1;38;5;133")  # readable on white and on black
_PLAIN = ""
_DIM = "2"
_REVERSE = "7;"


def text(view: View, *, unicode: bool = True, colour: bool = False, labels: Mapping[int, str] | None = None) -> str:
    """The board and under it a line that says whose move it is, or how the game ended; at most 80 columns wide.

    unicode: box drawing instead of ASCII. colour: with ANSI escapes; the characters stay the same. labels: texts of
    up to 3 characters for empty cells, by cell number (row-major over all boards), instead of what stands there.
    """
    labels = labels or {}
    check_labels(view, labels)
    if not unicode and not "".join(labels.values()).isascii():
        raise ValueError("a label has characters other than ASCII; draw with unicode=True, or change the label")
    sheet = _Sheet(view, unicode, labels)
    if view.rules.nested:
        _draw_boards(sheet)
    else:
        _draw_flat(sheet)
    return f"{sheet.canvas.render(colour)}\n\n{status(view)}"


@dataclass
class _Sheet:
    """What is drawn, how, and onto what. places: the columns of one cell."""

    view: View
    unicode: bool
    labels: Mapping[int, str]
    canvas: Canvas = field(default_factory=Canvas)
    places: int = 3

    def frame(self, corner: tuple[int, int], box: tuple[int, int], thick: Collection[int], style: str) -> None:
        side = self.view.rules.side
        draw_frame(self.canvas, corner, side, box, thick, unicode=self.unicode, styles=(_DIM, style))

    def put_centred(self, row: int, col: int, what: str, style: str) -> None:
        """Write in the middle of a cell; a text of even length ends just before the middle's right neighbour."""
        self.canvas.put(row, col + (self.places - len(what)) // 2, what, style)

    def put_mark(self, row: int, col: int, cell: int) -> None:
        rules, mark = self.view.rules, self.view.cells[cell]
        style = _TONES[mark_tone(rules, mark)]
        if cell == self.view.last:
            self.put_centred(row, col, f"[{rules.marks[mark]}]", _REVERSE + style)
        else:
            self.put_centred(row, col, rules.marks[mark], style)


def _draw_flat(sheet: _Sheet) -> None:
    """One board whose boxes are cells; the empty ones show their number, after an @ where marks are numbers too."""
    view = sheet.view
    sign = "@" if any(mark.isdigit() for mark in view.rules.marks) else ""
    shown = {cell: sheet.labels.get(cell, f"{sign}{cell}") for cell, mark in enumerate(view.cells) if mark == EMPTY}
    if any(len(what) > 1 for what in shown.values()):
        sheet.places = 5
    decided = {cell for line in view.lines for cell in line}
    sheet.frame((0, 0), (1, sheet.places), decided, _PLAIN)
    for cell in range(view.rules.cells):
        row, col = divmod(cell, view.rules.side)
        top, left = 1 + 2 * row, 1 + col * (sheet.places + 1)
        if cell in shown:
            sheet.put_centred(top, left, shown[cell], _PLAIN if cell in sheet.labels else _DIM)
        else:
            sheet.put_mark(top, left, cell)


def _draw_boards(sheet: _Sheet) -> None:
    """The boards of a nested game, as many beside each other as fit."""
    rules = sheet.view.rules
    sheet.places = max(3, 1 + max(map(len, sheet.labels.values()), default=0))
    width = EDGE + rules.width * sheet.places + rules.side + 1
    height = (rules.boards > 1) + 1 + rules.width + rules.side + 1
    abreast = max(1, (WIDTH + GAP) // (width + GAP))
    for board in range(rules.boards):
        down, across = divmod(board, abreast)
        top, left = down * (height + 1), across * (width + GAP)
        if rules.boards > 1:
            caption = f"board {board}"
            sheet.canvas.put(top, left + EDGE + (width - EDGE - len(caption)) // 2, caption)
            top += 1
        _draw_board(sheet, board, top, left)


def _draw_board(sheet: _Sheet, board: int, top: int, left: int) -> None:
    """A nested board: column numbers, row numbers, and boxes that are blocks."""
    view, rules = sheet.view, sheet.view.rules
    left += EDGE
    for place in range(rules.width):
        offset = 1 + place // rules.side
        sheet.put_centred(top, left + offset + place * sheet.places, str(place), _DIM)
        sheet.canvas.put(top + 1 + offset + place, left - EDGE, f"{place:2}", _DIM)
    first = board * rules.cells
    matters = view.playable or {block for line in view.lines for block in line}
    thick = [block - first for block in matters if first <= block < first + rules.cells]
    mover = _owner_style(rules, view.player) if view.playable else _PLAIN
    sheet.frame((top + 1, left), (rules.side, rules.side * sheet.places), thick, mover)
    for block in range(first, first + rules.cells):
        row, col = divmod(block - first, rules.side)
        corner = (top + 2 + row * (rules.side + 1), left + 1 + col * (rules.side * sheet.places + 1))
        _draw_block(sheet, block, *corner)


def _draw_block(sheet: _Sheet, block: int, top: int, left: int) -> None:
    """What is inside a box: cells, or one large mark with the last move on it."""
    view, rules = sheet.view, sheet.view.rules
    owner, width = view.owners[block], rules.side * sheet.places
    if owner == DRAWN:
        large, style = large_draw(rules.side, width, sheet.unicode), _DIM
    elif owner != OPEN:
        large = large_mark(rules.places[owner], rules.side, width, sheet.unicode)
        style = _owner_style(rules, owner)
    else:
        large, style = [], _PLAIN
    for line, content in enumerate(large):
        sheet.canvas.put(top + line, left, content, style)
    for spot in range(rules.cells):
        row, col = divmod(spot, rules.side)
        cell = cell_number(rules, block, row, col)
        if owner == OPEN or cell == view.last:
            _draw_cell(sheet, block, cell, top + row, left + col * sheet.places)


def _draw_cell(sheet: _Sheet, block: int, cell: int, row: int, col: int) -> None:
    if sheet.view.cells[cell] != EMPTY:
        sheet.put_mark(row, col, cell)
    elif cell in sheet.labels:
        sheet.put_centred(row, col, sheet.labels[cell], _PLAIN)
    elif block in sheet.view.playable:
        sheet.put_centred(row, col, "·" if sheet.unicode else ".", _PLAIN)


def _owner_style(rules: Rules, player: int) -> str:
    return _TONES[mark_tone(rules, rules.marks.index(rules.places[player]))]
