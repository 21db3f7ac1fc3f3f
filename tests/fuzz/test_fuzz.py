"""Everything that parses what others wrote takes it, or refuses it as documented: a short run of the fuzzer."""

from itertools import islice

import pytest
from fuzzing import CORPUS, TARGETS, attempt, inputs, seeds_of

INPUTS = {
    "model": 150,
    "network": 150,
    "run": 150,
    "any_game": 200,
    "log": 200,
    "reply": 300,
    "store": 150,
    "submission": 300,
}
"""So many of each target, 600 of others: some seconds each."""


def test_every_target_has_a_corpus():
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    assert all(seeds_of(target) for target in TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_but_what_is_documented_is_raised(target):
    count = len(seeds_of(target)) + INPUTS.get(target, 600)
    for number, data in enumerate(islice(inputs(target, seed=1), count)):
        trace = attempt(target, data)
        assert trace is None, f"input {number} of {target}, {data[:200]!r}:\n{trace}"


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"position", "move", "reply", "answer"}))
def test_the_corpus_is_not_all_refused(target):
    """Else only the first lines of a parser would be tried."""
    act, documented = TARGETS[target]
    taken = 0
    for data in seeds_of(target):
        try:
            act(data)
        except documented:
            continue
        taken += 1
    assert taken


def test_the_same_seed_gives_the_same_inputs():
    first, again, other = (list(islice(inputs("wire", seed), 50)) for seed in (1, 1, 2))
    assert first == again != other
