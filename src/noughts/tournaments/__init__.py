"""Tournaments: who meets whom, tables, ratings, certainty and marks. They know names and results, not games."""

from noughts.course.thresholds import Threshold, ThresholdError, parse_thresholds, read_thresholds
from noughts.files import BusyError
from noughts.matches.store_file import StoreError
from noughts.tournaments._certainty import Certainty, by_points, by_rating
from noughts.tournaments._formats import Course, Format, Gauntlet, League
from noughts.tournaments._ratings import Rating, Ratings, rate
from noughts.tournaments._swiss import Swiss
from noughts.tournaments._until_sure import UntilSure
from noughts.tournaments.marks import Mark, Part, course_marks, gradescope, threshold_marks, to_csv
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
    "Mark",
    "Part",
    "Rating",
    "Ratings",
    "Result",
    "Standings",
    "StoreError",
    "Swiss",
    "Threshold",
    "ThresholdError",
    "UntilSure",
    "by_points",
    "by_rating",
    "course_marks",
    "gradescope",
    "parse_thresholds",
    "rate",
    "read_thresholds",
    "standings",
    "tables",
    "threshold_marks",
    "to_csv",
]
