"""kill -9 of any process of a tournament, at any moment: the same games, the same results, nothing left behind."""

from conftest import needs_two_cores
from kill_tournament import compare


@needs_two_cores
def test_a_tournament_that_is_killed_is_the_same_as_one_that_is_not(tmp_path):
    """By hand, 50 times: python tests/kill_tournament.py"""
    hits, games, _ = compare(tmp_path, kills=3, seed=2, rounds=2)
    assert sum(hits.values()) > 0
    assert games == 3 * 2 * 2
