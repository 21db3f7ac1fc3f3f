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
        hits, attempt = 0, 0
        while not hits:  # on a busy machine a match may be over before anything happens to it
            name, attempt = f"match{number}-{attempt}", attempt + 1
            outcome = disturbed(tmp_path, name, kinds, choose, GAMES, 2 - number, jumping=number == 0)
            kept += check(tmp_path, name, calm, outcome)
            hits = sum(outcome[2].values())
    assert kept > 0
