"""Evaluation: many games of one player against another, stored in a file, counted with intervals, and graded move by
move.

    plan        the games to play, and their file
    results     counts, rates and intervals; good replies as fine-tuning examples
    report, page            the results as text and as a web page
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
