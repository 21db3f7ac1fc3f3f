"""Suites: single positions with exact answers, asked once each.

generator   rule variants by a seed, each game once under all its names
interest    a solved game as a whole: is it worth asking about?
questions   a question, and what a suite of them is
suite       the questions of a seed, made or read from disk
asking      a player asked all of them, into a file
scores      accuracy, regret and legality, with intervals over games
training    questions without end to train on, and games held out
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
