"""Players: anything that chooses a move. `make_player` makes one from its name on the command line."""

from noughts.clock import Clock
from noughts.players.alphabeta import AlphaBetaPlayer, LevelPlayer
from noughts.players.mcts import MonteCarloPlayer
from noughts.players.protocol import Player, TextPlayer, as_player, repeats
from noughts.players.registry import LISTED_PLAYERS, PLAYER_FORMS, listed_player, make_player, register_player, spelled
from noughts.players.simple import GreedyPlayer, PerfectPlayer, RandomPlayer

__all__ = [
    "LISTED_PLAYERS",
    "PLAYER_FORMS",
    "AlphaBetaPlayer",
    "Clock",
    "GreedyPlayer",
    "LevelPlayer",
    "MonteCarloPlayer",
    "PerfectPlayer",
    "Player",
    "RandomPlayer",
    "TextPlayer",
    "as_player",
    "listed_player",
    "make_player",
    "register_player",
    "repeats",
    "spelled",
]
