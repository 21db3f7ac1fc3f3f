"""A match on a machine where everything goes wrong: nothing lost, nothing left running, nobody blamed."""

import random

from chaos_match import check, disturbed, fill_disk, kill, prepare, stop, take_descriptors
from conftest import needs_two_cores

GAMES = 8


@needs_two_cores
def test_a_match_in_trouble_loses_nothing_leaves_nothing_and_blames_nobody(tmp_path):
    """By hand, for as long as you like: python tests/chaos_match.py MATCHES SEED"""
    choose = random.Random(3)
    calm = prepare(tmp_path, GAMES)
    assert len(calm) == GAMES
    assert not any(fault for *_, fault in calm.values()), "the bots are honest"
    kept = 0
    for number, kinds in enumerate([(stop, kill), (take_descriptors, fill_disk)]):
        name, jobs = f"match{number}", 2 - number
        outcome = disturbed(tmp_path, name, kinds, choose, GAMES, jobs, jumping=number == 0)
        assert sum(outcome[2].values()) > 0, "it was over before anything happened"
        kept += check(tmp_path, name, calm, outcome)
    assert kept > 0
