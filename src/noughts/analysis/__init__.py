"""Analysis: what each move of a game was worth, exactly where the game is solved and by search elsewhere; and what
players come to over all the games that they can play.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.analysis.exact import best_response as best_response
    from noughts.analysis.exact import evaluate_policy as evaluate_policy
    from noughts.analysis.exact import exploitability as exploitability
    from noughts.analysis.grading import ExactGrader as ExactGrader
    from noughts.analysis.grading import Grade as Grade
    from noughts.analysis.grading import Grader as Grader
    from noughts.analysis.grading import SearchGrader as SearchGrader
    from noughts.analysis.grading import grade_game as grade_game
    from noughts.analysis.grading import grader_for as grader_for
    from noughts.analysis.review import Review as Review
    from noughts.analysis.review import review_game as review_game

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "exact": "best_response evaluate_policy exploitability",
        "grading": "ExactGrader Grade Grader SearchGrader grade_game grader_for",
        "review": "Review review_game",
    },
)
