"""Players: anything that chooses a move. `make_player` makes one from its name on the command line."""

from noughts.players.alphabeta import AlphaBetaPlayer
from noughts.players.clock import Clock
from noughts.players.greedy import GreedyPlayer
from noughts.players.levels import LevelPlayer
from noughts.players.montecarlo import MonteCarloPlayer
from noughts.players.naming import PLAYER_FORMS, make_player
from noughts.players.perfect import PerfectPlayer
from noughts.players.protocol import Player, Preparing
from noughts.players.uniform import RandomPlayer

__all__ = [
    "PLAYER_FORMS",
    "AlphaBetaPlayer",
    "Clock",
    "GreedyPlayer",
    "LevelPlayer",
    "MonteCarloPlayer",
    "PerfectPlayer",
    "Player",
    "Preparing",
    "RandomPlayer",
    "make_player",
]
