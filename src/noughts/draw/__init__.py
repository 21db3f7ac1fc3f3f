"""Boards as text and as pictures, from a `View`. Nothing here knows what is legal or who won: the view says it."""

from noughts.draw.status import status
from noughts.draw.svg import svg
from noughts.draw.text import text

__all__ = ["status", "svg", "text"]
