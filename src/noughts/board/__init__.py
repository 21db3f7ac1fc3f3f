"""The board in a browser: its data (JSON, see docs/board.md), and the files that draw it.

view        a position as data for the board: its marks, the legal moves, where each move leads
archive     many recorded games in compact form, which `frames.js` shows position by position
bundle      the files as they are, or joined into one script for a page without a server
"""

from noughts.board._archive import Archive, recorded
from noughts.board._bundle import script, source, style
from noughts.board._view import shape, view

__all__ = ["Archive", "recorded", "script", "shape", "source", "style", "view"]
