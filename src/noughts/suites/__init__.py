"""Suites: single positions with exact answers, each asked once.

generator   rule variants by seed, without games that differ only in names
interest    decides whether a solved game is worth asking about
questions   a question, and a suite of them
suite       the questions of a seed, generated or read from disk
asking      asks a player all of them, into a file
scores      accuracy, regret and legality, with intervals over games
training    endless questions for training, and held-out games
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.suites.asking import SuitePlan as SuitePlan
    from noughts.suites.asking import SuiteRun as SuiteRun
    from noughts.suites.asking import open_answers as open_answers
    from noughts.suites.generator import Variant as Variant
    from noughts.suites.generator import canonical as canonical
    from noughts.suites.generator import distinct as distinct
    from noughts.suites.generator import draw_variants as draw_variants
    from noughts.suites.interest import Insight as Insight
    from noughts.suites.interest import refusal as refusal
    from noughts.suites.questions import Question as Question
    from noughts.suites.questions import Suite as Suite
    from noughts.suites.scores import SuiteResults as SuiteResults
    from noughts.suites.scores import compared as compared
    from noughts.suites.scores import score_answers as score_answers
    from noughts.suites.suite import Size as Size
    from noughts.suites.suite import make_suite as make_suite
    from noughts.suites.training import create_dataset as create_dataset
    from noughts.suites.training import score_answer as score_answer
    from noughts.suites.training import split_of as split_of
    from noughts.suites.training import training_game as training_game

lazy_names(
    __name__,
    {
        "asking": "SuiteRun SuitePlan open_answers",
        "generator": "Variant canonical distinct draw_variants",
        "interest": "Insight refusal",
        "scores": "SuiteResults compared score_answers",
        "questions": "Question Suite",
        "suite": "Size make_suite",
        "training": "create_dataset score_answer split_of training_game",
    },
)
