"""Matches: plays many games, stores them and evaluates the results.

match       a game or a match in one call, and its result
record      one game; replays: its file
game        the referee: asks two seats in turn, until the rules or a fault end the game
schedule    the games to play; who moves first
seeds       a seed for every random choice, derived from the run's secret one
runner      schedule -> pairing -> game -> record -> store; pool: on many cores; machine: how fast they are
store       stores records, so that a run can continue; store_file: its tables; exports: transcripts and replays
tally       the results of one player; statistics: Elo, LOS, SPRT, intervals
openings, log    even openings; a game as text
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.matches.machine import Machine as Machine
    from noughts.matches.match import MatchResult as MatchResult
    from noughts.matches.match import play_game as play_game
    from noughts.matches.match import play_match as play_match
    from noughts.matches.openings import balanced_opening as balanced_opening
    from noughts.matches.record import GameRecord as GameRecord
    from noughts.matches.replays import ReplayError as ReplayError
    from noughts.matches.schedule import UNTIMED as UNTIMED
    from noughts.matches.schedule import Match as Match
    from noughts.matches.statistics import Elo as Elo
    from noughts.matches.statistics import Interval as Interval
    from noughts.matches.statistics import Pentanomial as Pentanomial
    from noughts.matches.statistics import Sprt as Sprt
    from noughts.matches.store import Store as Store
    from noughts.matches.store import open_store as open_store
    from noughts.matches.store import read_run as read_run
    from noughts.matches.store_file import StoreError as StoreError
    from noughts.matches.tally import Tally as Tally
    from noughts.matches.tally import different_games as different_games
    from noughts.matches.tally import paired as paired
    from noughts.matches.tally import tallies as tallies

lazy_names(
    __name__,
    {
        "machine": "Machine",
        "match": "MatchResult play_game play_match",
        "openings": "balanced_opening",
        "record": "GameRecord",
        "replays": "ReplayError",
        "schedule": "UNTIMED Match",
        "statistics": "Elo Interval Pentanomial Sprt",
        "store": "Store open_store read_run",
        "store_file": "StoreError",
        "tally": "Tally different_games paired tallies",
    },
)
