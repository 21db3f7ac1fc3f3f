"""The arrays that kernels read and write, for tests that state something about them: the one place that reaches in."""

from typing import NamedTuple

import numpy as np
import pytest

from noughts.rules.kernels import form
from noughts.rules.kernels.compiler import numba
from noughts.search.kernels.position import set_position

needs_numba = pytest.mark.skipif(form.FORM != form.NUMBA, reason="the kernels are not compiled by Numba here")


def compiled(function):
    """A function that calls kernels which Python cannot call by themselves: compiled, if the kernels are."""
    return numba.njit(function) if form.COMPILED else function


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
    return state.words


def table_move(engine, root, state):
    """The transposition table's move in a state, -1 if it has none, for a search by the player to move at the root."""
    arrays = search_arrays(engine)
    engine._set_contempt(row_of(root))
    action, _ = set_position(arrays.rules, row_of(state), *arrays[1:])
    return action
