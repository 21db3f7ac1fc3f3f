"""Draws boards as text and as pictures, from a `View`. Nothing here decides what is legal or who won: the view says
it."""

from noughts.draw._gif import gif
from noughts.draw._places import mark_tone
from noughts.draw._raster import raster
from noughts.draw._status import player_name, status
from noughts.draw._svg import svg
from noughts.draw._text import text

__all__ = ["gif", "mark_tone", "player_name", "raster", "status", "svg", "text"]
