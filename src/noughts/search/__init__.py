"""Looking ahead in any game of the family: alpha-beta search for games too large to solve."""

from noughts.search.searcher import Limits, Line, Report, Searcher
from noughts.search.weights import Weights, weights_for

__all__ = ["Limits", "Line", "Report", "Searcher", "Weights", "weights_for"]
