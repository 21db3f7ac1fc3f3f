"""Evaluation: many games of one player against another, stored in a file, counted with intervals, and graded move by
move.

    plan        the games to play, and their file
    results     counts, rates and intervals; good replies as fine-tuning examples
    report      the results in words and as plain data
    page        the results as a web page
    compare     many runs side by side
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
