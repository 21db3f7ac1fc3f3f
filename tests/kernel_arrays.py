"""The arrays that kernels read and write, for tests that state something about them: the one place that reaches in."""

from typing import NamedTuple

import numpy as np


class SearchArrays(NamedTuple):
    """The arrays of an engine, by the names that the kernels give their arguments."""

    rules: np.ndarray
    params: np.ndarray
    work: np.ndarray
    tt: np.ndarray
    net: np.ndarray


def search_arrays(engine):
    return SearchArrays(engine._facts, engine._params, engine._work, engine._tt, engine._net)


def row_of(state):
    """The row of a state, with its stack and legal actions."""
    return state._words
