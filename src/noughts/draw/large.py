"""Large marks: what stands over a block that is won or drawn, in a text of `side` lines."""

from __future__ import annotations

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
    """`side` lines of `width` characters. X and O have shapes; another letter, or one too small, fills the block."""
    shape = (_UNICODE if unicode else _ASCII).get((mark, side), [mark * (width - 2)] * side)
    return [line.center(width) for line in shape]


def large_draw(side: int, width: int, unicode: bool) -> list[str]:
    """`side` lines of `width` characters for a block that nobody won."""
    shade = "░" if unicode else ":"
    lines = [shade * width] * side
    lines[(side - 1) // 2] = " draw ".center(width, shade)
    return lines
