"""A sheet of characters, each with a style, that text is put on from any side."""

from __future__ import annotations

RESET = "\x1b[0m"


class Canvas:
    """Grows as it is written on. A style is the middle of an ANSI escape sequence ("1;31"), or empty."""

    def __init__(self) -> None:
        self._rows: list[list[tuple[str, str]]] = []

    def put(self, row: int, col: int, text: str, style: str = "") -> None:
        """Write `text` from (row, col) to the right, over what was there."""
        self._rows += [[] for _ in range(row + 1 - len(self._rows))]
        line = self._rows[row]
        line += [(" ", "")] * (col + len(text) - len(line))
        line[col : col + len(text)] = [(char, style) for char in text]

    def render(self, colour: bool) -> str:
        """The sheet as text. The characters are the same with and without colour; no line ends in spaces."""
        return "\n".join(_line(row, colour) for row in self._rows)


def _line(row: list[tuple[str, str]], colour: bool) -> str:
    end = max((i for i, (char, _) in enumerate(row, 1) if char != " "), default=0)
    if not colour:
        return "".join(char for char, _ in row[:end])
    parts, now = [], ""
    for char, style in row[:end]:
        if style != now:
            parts += [RESET if now else "", f"\x1b[{style}m" if style else ""]
            now = style
        parts.append(char)
    return "".join([*parts, RESET if now else ""])
