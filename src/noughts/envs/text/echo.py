"""A player's own words, made harmless for other readers.

What comes out is one line, and no part of it but the move stands in square brackets: it cannot look like a line
of the environment (``[GAME] ...``) or of another player (``[Player 1] ...``).
"""

from __future__ import annotations

import unicodedata

LONGEST = 1000
"""So many characters of a reply others get to see."""

_LEFT, _RIGHT = "([", ")]"


def harmless(reply: str, move: str) -> str:
    """The reply as the other player may see it, the move at its end."""
    cut = reply[:LONGEST]
    words = "".join(map(_plain, cut))
    more = " ..." if len(reply) > LONGEST else ""
    return f"{' '.join(words.split())}{more} {move}".lstrip()


def _plain(char: str) -> str:
    """A character without powers: no control, no direction or line marks, no bracket of any script."""
    if char in " -.,'":
        return char
    kind = unicodedata.category(char)
    if kind[0] in "CZ":
        return " "
    if kind in ("Ps", "Pe", "Pi", "Pf") or unicodedata.normalize("NFKC", char) in _LEFT + _RIGHT:
        return "(" if kind in ("Ps", "Pi") else ")"
    return char
