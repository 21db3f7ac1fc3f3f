"""The lines around square boxes: thin, or thick around the boxes that matter.

In ASCII thin lines are ``-|+`` and thick ones ``=#``; in Unicode they are light and heavy box drawing.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from noughts.draw.canvas import Canvas

# For each set of arms a junction can have (u, d, l, r: up, down, left, right), its first code point, and which arms
# are heavy in each of the characters that follow from there. The order is that of the Unicode chart.
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
    """Frame `side` x `side` boxes, numbered row-major, with the top left corner at `corner` (row, column).

    box: rows and columns inside one. thick: the boxes with thick lines all around. styles: of thin and thick lines.
    """
    height, width = box[0] + 1, box[1] + 1

    def level(row: int, col: int) -> bool:
        """Whether the line above box (row, col) is thick."""
        return 0 <= col < side and any(0 <= r < side and r * side + col in thick for r in (row - 1, row))

    def upright(row: int, col: int) -> bool:
        """Whether the line left of box (row, col) is thick."""
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
