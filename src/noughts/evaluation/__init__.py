"""Evaluation: many games of one player against another, stored in a file, counted with intervals, and graded move by
move.

    plan        the games to play, and their file
    results     counts, rates and intervals; good replies as fine-tuning examples
    report, page            the results as text and as a web page
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.evaluation.plan import EvaluationRun as EvaluationRun
    from noughts.evaluation.plan import Plan as Plan
    from noughts.evaluation.plan import open_run as open_run
    from noughts.evaluation.report import as_data as as_data
    from noughts.evaluation.results import Results as Results
    from noughts.evaluation.results import chat_examples as chat_examples
    from noughts.evaluation.results import grade as grade

lazy_names(
    __name__,
    {"plan": "EvaluationRun Plan open_run", "report": "as_data", "results": "Results chat_examples grade"},
)
