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

from noughts._lazy import lazy_names

lazy_names(__name__)
