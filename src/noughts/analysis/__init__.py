"""Evaluates positions and moves, exactly where a game can be solved and by search elsewhere; finds the mistakes of a
game; evaluates players over all the games that they can play.
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
