"""Draws a board as text: a canvas of styled characters with frames, large marks and the contents of cells.

Thick lines surround the blocks that take the next mark and, at the end, the deciding line. Square brackets surround the
last move. In a nested game, dots are the playable cells.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import product

from noughts.draw._places import check_labels, mark_tone
from noughts.draw._status import status
from noughts.rules.geometry import cells_of_block, row_and_column
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
_RESET = "\x1b[0m"


class Canvas:
    """A sheet of characters that grows as it is written on.

    Each has a style: the middle of an ANSI escape sequence ("1;31"), or empty.
    """

    def __init__(self) -> None:
        self._rows: list[list[tuple[str, str]]] = []

    def put(self, row: int, col: int, text: str, style: str = "") -> None:
        """Writes `text` from (row, col) to the right, over what was there."""
        self._rows += [[] for _ in range(row + 1 - len(self._rows))]
        line = self._rows[row]
        line += [(" ", "")] * (col + len(text) - len(line))
        line[col : col + len(text)] = [(char, style) for char in text]

    def read(self, row: int, col: int, count: int) -> str:
        """Returns `count` characters from (row, col)."""
        return "".join(char for char, _ in self._rows[row][col : col + count])

    def render(self, colour: bool) -> str:
        """Returns the canvas as text. The characters are the same with and without colour; no line ends in spaces."""
        return "\n".join(_rendered(row, colour) for row in self._rows)


def _rendered(row: list[tuple[str, str]], colour: bool) -> str:
    end = max((i for i, (char, _) in enumerate(row, 1) if char != " "), default=0)
    if not colour:
        return "".join(char for char, _ in row[:end])
    parts, now = [], ""
    for char, style in row[:end]:
        if style != now:
            parts += [_RESET if now else "", f"\x1b[{style}m" if style else ""]
            now = style
        parts.append(char)
    return "".join([*parts, _RESET if now else ""])


# For each set of arms of a junction (u, d, l, r: up, down, left, right): its first code point, and the heavy arms of
# each character from there on, in the order of the Unicode chart.
_CORNER = ("", "h", "v", "hv")
_UPRIGHT = ("", "s", "u", "d", "ud", "us", "ds", "uds")
_LEVEL = ("", "l", "r", "lr", "s", "ls", "rs", "lrs")
_CROSS = ("", "l", "r", "lr", "u", "d", "ud", "lu", "ru", "ld", "rd", "lru", "lrd", "lud", "rud", "lrud")
_FAMILIES = (
    (0x250C, _CORNER, {"v": "d", "h": "r"}),
    (0x2510, _CORNER, {"v": "d", "h": "l"}),
    (0x2514, _CORNER, {"v": "u", "h": "r"}),
    (0x2518, _CORNER, {"v": "u", "h": "l"}),
    (0x251C, _UPRIGHT, {"u": "u", "d": "d", "s": "r"}),
    (0x2524, _UPRIGHT, {"u": "u", "d": "d", "s": "l"}),
    (0x252C, _LEVEL, {"l": "l", "r": "r", "s": "d"}),
    (0x2534, _LEVEL, {"l": "l", "r": "r", "s": "u"}),
    (0x253C, _CROSS, {"l": "l", "r": "r", "u": "u", "d": "d"}),
)
JUNCTIONS = {
    (frozenset(arms.values()), frozenset(arms[letter] for letter in heavy)): chr(first + i)
    for first, order, arms in _FAMILIES
    for i, heavy in enumerate(order)
}


def draw_frame(
    canvas: Canvas,
    corner: tuple[int, int],
    side: int,
    box: tuple[int, int],
    thick: Collection[int],
    *,
    unicode: bool,
    styles: tuple[str, str],
) -> None:
    """Frames `side` x `side` boxes, numbered row-major, with the top left corner at `corner` (row, column).

    box: rows and columns inside one. thick: the boxes with thick lines all around. styles: of thin and thick lines,
    which are -|+ and =# in ASCII, light and heavy box drawing in Unicode.
    """
    height, width = box[0] + 1, box[1] + 1

    def level(row: int, col: int) -> bool:
        """Returns whether the line above box (row, col) is thick."""
        return 0 <= col < side and any(0 <= r < side and r * side + col in thick for r in (row - 1, row))

    def upright(row: int, col: int) -> bool:
        """Returns whether the line left of box (row, col) is thick."""
        return 0 <= row < side and any(0 <= c < side and row * side + c in thick for c in (col - 1, col))

    for row, col in product(range(side + 1), repeat=2):
        top, left = corner[0] + row * height, corner[1] + col * width
        arms = {"u": row > 0, "d": row < side, "l": col > 0, "r": col < side}
        heavy = {"u": upright(row - 1, col), "d": upright(row, col), "l": level(row, col - 1), "r": level(row, col)}
        joint = _joint([a for a in arms if arms[a]], [a for a in heavy if heavy[a]], unicode)
        canvas.put(top, left, joint, styles[any(heavy.values())])
        if col < side:
            is_thick = level(row, col)
            canvas.put(top, left + 1, ("─━" if unicode else "-=")[is_thick] * box[1], styles[is_thick])
        if row < side:
            is_thick = upright(row, col)
            for line in range(box[0]):
                canvas.put(top + 1 + line, left, ("│┃" if unicode else "|#")[is_thick], styles[is_thick])


def _joint(arms: list[str], heavy: list[str], unicode: bool) -> str:
    if unicode:
        return JUNCTIONS[frozenset(arms), frozenset(heavy)]
    return "#" if heavy else "+"


# The picture over a won block, by mark and side.
_UNICODE = {
    ("X", 2): ("▀▄▄▀", "▄▀▀▄"),
    ("O", 2): ("█▀▀█", "█▄▄█"),
    ("X", 3): ("▀█▄ ▄█▀", "  ███  ", "▄█▀ ▀█▄"),
    ("O", 3): ("▄█▀▀▀█▄", "██   ██", "▀█▄▄▄█▀"),
    ("X", 4): ("▀██▄  ▄██▀", "   ▀██▀   ", "   ▄██▄   ", "▄██▀  ▀██▄"),
    ("O", 4): ("▄██▀▀▀▀██▄", "██      ██", "██      ██", "▀██▄▄▄▄██▀"),
}
_ASCII = {
    ("X", 3): ("XX   XX", "  XXX  ", "XX   XX"),
    ("O", 3): (" OOOOO ", "OO   OO", " OOOOO "),
    ("X", 4): ("XXX    XXX", "   XXXX   ", "   XXXX   ", "XXX    XXX"),
    ("O", 4): ("  OOOOOO  ", "OOO    OOO", "OOO    OOO", "  OOOOOO  "),
}


def large_mark(mark: str, side: int, width: int, unicode: bool) -> list[str]:
    """Returns `side` lines of `width` characters. X and O have shapes; other letters, and marks too small for a shape,
    fill the block.
    """
    shape = (_UNICODE if unicode else _ASCII).get((mark, side), ())
    if not shape or len(shape[0]) > width:
        shape = (mark * (width - 2),) * side
    return [line.center(width) for line in shape]


def large_draw(side: int, width: int, unicode: bool) -> list[str]:
    """Returns `side` lines of `width` characters for a drawn block."""
    shade = "░" if unicode else ":"
    lines = [shade * width] * side
    lines[(side - 1) // 2] = " draw ".center(width, shade)
    return lines


def text(
    view: View,
    *,
    unicode: bool = True,
    colour: bool = False,
    labels: Mapping[int, str] | None = None,
    width: int = WIDTH,
    cursor: int | None = None,
) -> str:
    """Returns the board above a status line (the player to move, or how the game ended), at most 80 columns wide.

    unicode: box drawing instead of ASCII. colour: with ANSI escapes; the characters stay the same. labels: texts of
    up to 3 characters for empty cells, by cell number (row-major over all boards), instead of the usual text. width:
    maximum columns for boards side by side, else they go below each other; if one is wider, its cells are two columns
    wide instead of three. cursor: a cell to point at.
    """
    labels = labels or {}
    check_labels(view, labels)
    if not unicode and not "".join(labels.values()).isascii():
        raise ValueError("a label has characters other than ASCII; draw with unicode=True, or change the label")
    sheet = _Sheet(view, unicode, labels, min(width, WIDTH))
    if view.rules.nested:
        _draw_boards(sheet)
    else:
        _draw_flat(sheet)
    if cursor is not None:
        sheet.point_at(cursor)
    return f"{sheet.canvas.render(colour)}\n\n{status(view)}"


@dataclass
class _Sheet:
    """The drawing in progress. width: columns to stay within. cell_width: the columns of one cell."""

    view: View
    unicode: bool
    labels: Mapping[int, str]
    width: int
    canvas: Canvas = field(default_factory=Canvas)
    cell_width: int = 3
    corners: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where each cell begins on the canvas."""

    def frame(self, corner: tuple[int, int], box: tuple[int, int], thick: Collection[int], style: str) -> None:
        side = self.view.rules.side
        draw_frame(self.canvas, corner, side, box, thick, unicode=self.unicode, styles=(_DIM, style))

    def put_centred(self, row: int, col: int, what: str, style: str) -> None:
        """Writes in the middle of a cell; a text of even length ends just before the middle's right neighbour.

        In a narrow cell the text is at the right.
        """
        self.canvas.put(row, col + (self.cell_width - len(what) + (self.cell_width == 2)) // 2, what, style)

    def put_mark(self, row: int, col: int, cell: int) -> None:
        rules, mark = self.view.rules, self.view.cells[cell]
        style = _TONES[mark_tone(rules, mark)]
        if cell == self.view.last:
            self.put_centred(row, col, f"[{rules.marks[mark]}]"[: self.cell_width], _REVERSE + style)
        else:
            self.put_centred(row, col, rules.marks[mark], style)

    def point_at(self, cell: int) -> None:
        """Draws arrows around a cell, in reverse; its contents stay visible between them."""
        row, col = self.corners[cell]
        inside = self.canvas.read(row, col, self.cell_width)
        inside = inside[self.cell_width // 2] if self.view.rules.nested else inside.strip(" []") or " "
        self.put_centred(row, col, f">{inside}<"[: self.cell_width], "7")


def _draw_flat(sheet: _Sheet) -> None:
    """Draws a board whose boxes are cells; the empty ones show their number, after an @ where marks are numbers too."""
    view = sheet.view
    sign = "@" if any(mark.isdigit() for mark in view.rules.marks) else ""
    texts = {cell: sheet.labels.get(cell, f"{sign}{cell}") for cell, mark in enumerate(view.cells) if mark == EMPTY}
    if any(len(what) > 1 for what in texts.values()):
        sheet.cell_width = 5
    decided = {cell for line in view.lines for cell in line}
    sheet.frame((0, 0), (1, sheet.cell_width), decided, _PLAIN)
    for cell in range(view.rules.cells):
        row, col = row_and_column(view.rules, cell)
        top, left = sheet.corners[cell] = 1 + 2 * row, 1 + col * (sheet.cell_width + 1)
        if cell in texts:
            sheet.put_centred(top, left, texts[cell], _PLAIN if cell in sheet.labels else _DIM)
        else:
            sheet.put_mark(top, left, cell)


def _draw_boards(sheet: _Sheet) -> None:
    """Draws the boards of a nested game, as many side by side as fit."""
    rules = sheet.view.rules
    sheet.cell_width = max(3, 1 + max(map(len, sheet.labels.values()), default=0))
    if not sheet.labels and EDGE + rules.width * sheet.cell_width + rules.side + 1 > sheet.width:
        sheet.cell_width = 2
    width = EDGE + rules.width * sheet.cell_width + rules.side + 1
    height = (rules.boards > 1) + 1 + rules.width + rules.side + 1
    abreast = max(1, (sheet.width + GAP) // (width + GAP))
    for board in range(rules.boards):
        down, across = divmod(board, abreast)
        top, left = down * (height + 1), across * (width + GAP)
        if rules.boards > 1:
            caption = f"board {board}"
            sheet.canvas.put(top, left + EDGE + (width - EDGE - len(caption)) // 2, caption)
            top += 1
        _draw_board(sheet, board, top, left)


def _draw_board(sheet: _Sheet, board: int, top: int, left: int) -> None:
    """Draws a nested board: column numbers, row numbers, and boxes that are blocks."""
    view, rules = sheet.view, sheet.view.rules
    left += EDGE
    for place in range(rules.width):
        offset = 1 + place // rules.side
        sheet.put_centred(top, left + offset + place * sheet.cell_width, str(place), _DIM)
        sheet.canvas.put(top + 1 + offset + place, left - EDGE, f"{place:2}", _DIM)
    first = board * rules.cells
    matters = view.playable or {block for line in view.lines for block in line}
    thick = [block - first for block in matters if first <= block < first + rules.cells]
    mover = _owner_style(rules, view.player) if view.playable else _PLAIN
    sheet.frame((top + 1, left), (rules.side, rules.side * sheet.cell_width), thick, mover)
    for block in range(first, first + rules.cells):
        row, col = row_and_column(rules, block - first)
        corner = (top + 2 + row * (rules.side + 1), left + 1 + col * (rules.side * sheet.cell_width + 1))
        _draw_block(sheet, block, *corner)


def _draw_block(sheet: _Sheet, block: int, top: int, left: int) -> None:
    """Draws the inside of a box: cells, or one large mark with brackets where the last move was."""
    view, rules = sheet.view, sheet.view.rules
    owner, width = view.owners[block], rules.side * sheet.cell_width
    if owner == DRAWN:
        large, style = large_draw(rules.side, width, sheet.unicode), _DIM
    elif owner != OPEN:
        large = large_mark(rules.places[owner], rules.side, width, sheet.unicode)
        style = _owner_style(rules, owner)
    else:
        large, style = [], _PLAIN
    for line, content in enumerate(large):
        sheet.canvas.put(top + line, left, content, style)
    for number, cell in enumerate(cells_of_block(rules, block)):
        row, col = row_and_column(rules, number)
        sheet.corners[cell] = top + row, left + col * sheet.cell_width
        if owner == OPEN:
            _draw_cell(sheet, block, cell, *sheet.corners[cell])
        elif cell == view.last:
            _bracket(sheet, large[row], style, (top + row, left), col * sheet.cell_width)


def _bracket(sheet: _Sheet, line: str, style: str, start: tuple[int, int], col: int) -> None:
    """Draws brackets around a cell under a large mark, which stays visible between them."""
    row, left = start
    middle = col + sheet.cell_width // 2
    sheet.canvas.put(row, left + middle - 1, f"[{line[middle]}]"[: sheet.cell_width], _REVERSE + style)


def _draw_cell(sheet: _Sheet, block: int, cell: int, row: int, col: int) -> None:
    if sheet.view.cells[cell] != EMPTY:
        sheet.put_mark(row, col, cell)
    elif cell in sheet.labels:
        sheet.put_centred(row, col, sheet.labels[cell], _PLAIN)
    elif block in sheet.view.playable:
        sheet.put_centred(row, col, "·" if sheet.unicode else ".", _PLAIN)


def _owner_style(rules: Rules, player: int) -> str:
    return _TONES[mark_tone(rules, rules.marks.index(rules.places[player]))]
