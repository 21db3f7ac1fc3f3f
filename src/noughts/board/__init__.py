"""The board in a browser: what it is told (JSON, see docs/board.md), and the files that draw it.

view        a position as the board takes it: what is there, what is legal, where each move leads
archive     many recorded games in little space, for `frames.js` to show position by position
bundle      the files as they lie here, or joined into one script for a page that needs no server
"""

from noughts.board._archive import Archive, recorded
from noughts.board._bundle import script, source, style
from noughts.board._view import shape, view

__all__ = ["Archive", "recorded", "script", "shape", "source", "style", "view"]
