"""Judging many positions at once, for fitting the weights: not part of a search, so compiled apart from it."""

from __future__ import annotations

from noughts.rules.kernels.batch import Rows
from noughts.rules.kernels.jit import Ints, entry
from noughts.search.kernels.evaluate import judge_all, leaf_score


@entry("void(int64[::1], int64[:, ::1], int64[::1], int64[::1], int64[::1])")
def judge_rows(rules: Ints, rows: Rows, know: Ints, work: Ints, scores: Ints) -> None:
    """The evaluation of many positions, each for its player to move: rows int64[n, ROW_WORDS], scores int64[n]."""
    for i in range(rows.shape[0]):
        judge_all(rules, rows[i], know, work)
        scores[i] = leaf_score(rules, rows[i], know, work)
