"""Players: anything that chooses a move. `make_player` creates one from its name on the command line."""

from noughts.clock import Clock
from noughts.players.alphabeta import AlphaBetaPlayer, LevelPlayer
from noughts.players.mcts import MonteCarloPlayer
from noughts.players.protocol import BasePlayer, Player, TextPlayer, as_player
from noughts.players.registry import Origin, listed_player, make_player, register_player
from noughts.players.simple import GreedyPlayer, PerfectPlayer, RandomPlayer
from noughts.players.text_seat import Exchange

__all__ = [
    "AlphaBetaPlayer",
    "BasePlayer",
    "Clock",
    "Exchange",
    "GreedyPlayer",
    "LevelPlayer",
    "MonteCarloPlayer",
    "Origin",
    "PerfectPlayer",
    "Player",
    "RandomPlayer",
    "TextPlayer",
    "as_player",
    "listed_player",
    "make_player",
    "register_player",
]
