"""Matches: the one way to play many games, and what they came to.

record      one game; replays: its file
game        the referee: two seats, asked in turn, until the rules or a fault end it
schedule    what is to be played; who moves first
seeds       a seed for every use of chance, from the run's secret one
runner      schedule -> pairing -> game -> record -> store; pool: on many cores; machine: how fast they are
store       where records go, and where a run goes on from
scores, statistics      standings; Elo, LOS, SPRT, intervals
openings, course_log    even openings; a game as text
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.matches.game import PlayerSeat as PlayerSeat
    from noughts.matches.game import Seat as Seat
    from noughts.matches.game import TextSeat as TextSeat
    from noughts.matches.game import play_game as play_game
    from noughts.matches.openings import balanced_opening as balanced_opening
    from noughts.matches.record import Exchange as Exchange
    from noughts.matches.record import GameRecord as GameRecord
    from noughts.matches.replays import ReplayError as ReplayError
    from noughts.matches.runner import Run as Run
    from noughts.matches.runner import play_match as play_match
    from noughts.matches.schedule import UNTIMED as UNTIMED
    from noughts.matches.schedule import Match as Match
    from noughts.matches.schedule import Pairing as Pairing
    from noughts.matches.schedule import Schedule as Schedule
    from noughts.matches.scores import Standing as Standing
    from noughts.matches.scores import different_games as different_games
    from noughts.matches.scores import paired as paired
    from noughts.matches.scores import standings as standings
    from noughts.matches.statistics import Pentanomial as Pentanomial
    from noughts.matches.statistics import Sprt as Sprt
    from noughts.matches.store import MemoryStore as MemoryStore
    from noughts.matches.store import ReplayFolder as ReplayFolder
    from noughts.matches.store import RunFile as RunFile
    from noughts.matches.store import read_run as read_run

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "game": "PlayerSeat Seat TextSeat play_game",
        "openings": "balanced_opening",
        "record": "Exchange GameRecord",
        "replays": "ReplayError",
        "runner": "Run play_match",
        "schedule": "UNTIMED Match Pairing Schedule",
        "scores": "Standing different_games paired standings",
        "statistics": "Pentanomial Sprt",
        "store": "MemoryStore ReplayFolder RunFile read_run",
    },
)
