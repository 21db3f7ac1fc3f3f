"""noughts: the tic-tac-toe family, with fast rules for people, learners, language models and bots.

>>> import noughts
>>> state = noughts.load_game("wild").new_initial_state()
>>> state.apply_action(state.string_to_action("[X 4]"))
>>> state.to_string()
'.../.X./... p1'

Every name is loaded at its first use: importing noughts itself costs next to nothing.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts import analysis as analysis
    from noughts import course as course
    from noughts import draw as draw
    from noughts import envs as envs
    from noughts import evaluation as evaluation
    from noughts import learn as learn
    from noughts import matches as matches
    from noughts import notation as notation
    from noughts import players as players
    from noughts import rules as rules
    from noughts import search as search
    from noughts import solving as solving
    from noughts import suites as suites
    from noughts import testing as testing
    from noughts import text as text
    from noughts import tournaments as tournaments
    from noughts import web as web
    from noughts.analysis import Evaluation as Evaluation
    from noughts.analysis import Evaluator as Evaluator
    from noughts.analysis import Mistake as Mistake
    from noughts.analysis import Review as Review
    from noughts.analysis import best_response as best_response
    from noughts.analysis import evaluate_policy as evaluate_policy
    from noughts.analysis import evaluator_for as evaluator_for
    from noughts.analysis import exploitability as exploitability
    from noughts.analysis import review as review
    from noughts.clock import Clock as Clock
    from noughts.counting import Playouts as Playouts
    from noughts.counting import perft as perft
    from noughts.counting import playouts as playouts
    from noughts.errors import NoughtsError as NoughtsError
    from noughts.game import TERMINAL as TERMINAL
    from noughts.game import Game as Game
    from noughts.game import IllegalMove as IllegalMove
    from noughts.game import Outcome as Outcome
    from noughts.game import State as State
    from noughts.library import game_names as game_names
    from noughts.library import load_game as load_game
    from noughts.library import register_game as register_game
    from noughts.matches import Elo as Elo
    from noughts.matches import GameRecord as GameRecord
    from noughts.matches import MatchResult as MatchResult
    from noughts.matches import Sprt as Sprt
    from noughts.matches import Tally as Tally
    from noughts.matches import play_game as play_game
    from noughts.matches import play_match as play_match
    from noughts.players import Player as Player
    from noughts.players import make_player as make_player
    from noughts.players import register_player as register_player
    from noughts.rules.position import PositionError as PositionError
    from noughts.rules.spec import Rules as Rules
    from noughts.rules.spec import RulesError as RulesError
    from noughts.sandbox.faults import BotFault as BotFault
    from noughts.search import Engine as Engine
    from noughts.search import Limits as Limits
    from noughts.search import MonteCarloTreeSearch as MonteCarloTreeSearch
    from noughts.solving import BestResponse as BestResponse
    from noughts.solving import PolicyValue as PolicyValue
    from noughts.solving import Rewards as Rewards
    from noughts.solving import Solution as Solution
    from noughts.solving import TooLarge as TooLarge
    from noughts.solving import solve as solve
    from noughts.suites.dataset import dataset as dataset
    from noughts.tournament import Tournament as Tournament

__version__ = "0.1.0"

lazy_names(
    __name__,
    {
        "analysis": "Evaluation Evaluator Mistake Review best_response evaluate_policy evaluator_for "
        "exploitability review",
        "clock": "Clock",
        "counting": "Playouts perft playouts",
        "errors": "NoughtsError",
        "game": "TERMINAL Game IllegalMove Outcome State",
        "library": "game_names load_game register_game",
        "matches": "Elo GameRecord MatchResult Sprt Tally play_game play_match",
        "players": "Player make_player register_player",
        "rules.position": "PositionError",
        "rules.spec": "Rules RulesError",
        "sandbox.faults": "BotFault",
        "search": "Engine Limits MonteCarloTreeSearch",
        "suites.dataset": "dataset",
        "tournament": "Tournament",
        "solving": "BestResponse PolicyValue Rewards Solution TooLarge solve",
    },
    rooms="analysis course draw envs evaluation learn matches notation players rules search solving suites testing "
    "text tournaments web",
)
