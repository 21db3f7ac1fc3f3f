"""Players: anything that chooses a move. `make_player` makes one from its name on the command line."""

from noughts.clock import Clock
from noughts.players.alphabeta import AlphaBetaPlayer, LevelPlayer
from noughts.players.mcts import MonteCarloPlayer
from noughts.players.protocol import Player, Preparing
from noughts.players.registry import PLAYER_FORMS, make_player
from noughts.players.simple import GreedyPlayer, PerfectPlayer, RandomPlayer

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
