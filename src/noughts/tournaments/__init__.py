"""Tournaments: formats, tables, ratings, certainty, and the ladder."""

from noughts.files import BusyError
from noughts.matches.store_file import StoreError
from noughts.tournaments._certainty import Certainty, by_points, by_rating
from noughts.tournaments._formats import Course, Format, Gauntlet, League
from noughts.tournaments._ratings import Rating, Ratings, rate
from noughts.tournaments._swiss import Swiss
from noughts.tournaments._until_sure import UntilSure
from noughts.tournaments.results import Fixture, Result
from noughts.tournaments.standings import standings, tables
from noughts.tournaments.summary import Standings

__all__ = [
    "BusyError",
    "Certainty",
    "Course",
    "Fixture",
    "Format",
    "Gauntlet",
    "League",
    "Rating",
    "Ratings",
    "Result",
    "Standings",
    "StoreError",
    "Swiss",
    "UntilSure",
    "by_points",
    "by_rating",
    "rate",
    "standings",
    "tables",
]
