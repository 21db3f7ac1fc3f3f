"""Evaluates positions and moves, exactly where a game can be solved and by search elsewhere; finds the mistakes of a
game; evaluates players over all the games that they can play.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.analysis.evaluator import Evaluation as Evaluation
    from noughts.analysis.evaluator import Evaluator as Evaluator
    from noughts.analysis.evaluator import evaluator_for as evaluator_for
    from noughts.analysis.exact import best_response as best_response
    from noughts.analysis.exact import evaluate_policy as evaluate_policy
    from noughts.analysis.exact import exploitability as exploitability
    from noughts.analysis.mistakes import Choice as Choice
    from noughts.analysis.mistakes import Habits as Habits
    from noughts.analysis.mistakes import Mistake as Mistake
    from noughts.analysis.mistakes import Review as Review
    from noughts.analysis.mistakes import review as review

lazy_names(
    __name__,
    {
        "evaluator": "Evaluation Evaluator evaluator_for",
        "exact": "best_response evaluate_policy exploitability",
        "mistakes": "Choice Habits Mistake Review review",
    },
)
