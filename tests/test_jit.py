"""Compiled code: the same results in each form, one signature each, a disk cache that notices changes and crowds."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from conftest import EVERY_GAME, load
from kernel_arrays import compiled, needs_numba

import noughts
from noughts.rules.kernels import batch, bits, compiler, form, jit, layout
from noughts.rules.kernels.entries import ENTRY_POINTS, MODULES
from noughts.rules.kernels.playout import streams
from noughts.search.kernels import alphabeta, position
from noughts.search.kernels.network_layout import WIDTH

PACKAGE = Path(noughts.__file__).parent
SCRIPT = """
import noughts, numpy as np
from noughts.rules.kernels import batch
from noughts.rules.kernels import layout
from noughts.rules.kernels.playout import streams
from noughts.learn import make_table
from noughts.learn import preset as preset_settings
from noughts.testing import playthrough
for name in noughts.game_names():
    game = noughts.load_game(name)
    print(playthrough(game, 1))
    print(noughts.playouts(game, 20, seed=3), noughts.perft(game, 2), game.new_initial_state().canonical())
for name in ("classic", "wild"):
    for preset in ("published", "self"):
        table = make_table(preset_settings(preset, noughts.load_game(name).rules, {}))
        table.learn(20)
        print(table.action_values(table.game.new_initial_state()), table.greedy_policy_values())
    solution = noughts.solve(noughts.load_game(name))
    print(solution.counts, solution.rated_moves(solution.game.new_initial_state()))
from noughts.search import Engine, MonteCarloTreeSearch, Limits
for name in ("wild", "ultimate", "xtreme", "extreme"):
    state = noughts.load_game(name).new_initial_state()
    print(Engine(state.game, memory=1).search(state, Limits(nodes=500)).variations)
    print(MonteCarloTreeSearch(state.game, 3, memory=1).search(state, Limits(nodes=10)))
"""


def run(script, cache=None, *path, **variables):
    """Run a script in a new process with its own cache folder, or with that of these tests."""
    environment = {**os.environ, **variables}
    if cache is not None:
        environment["NOUGHTS_CACHE_DIR"] = str(cache)
    if path:
        environment["PYTHONPATH"] = str(path[0])
    return subprocess.Popen(
        [sys.executable, "-c", script], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def output(process):
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out, err


def entries():
    return [getattr(import_module(module), name) for name, module in MODULES.items()]


def test_the_list_of_entry_points_is_complete():
    for module, names in ENTRY_POINTS.items():
        source = Path(import_module(module).__file__).read_text()
        assert re.findall(r"^@entry(?:\(.*\))?\ndef (\w+)", source, re.MULTILINE) == names.split()
    decorated = [path for path in form.kernel_sources(PACKAGE) if "\n@entry" in path.read_text()]
    assert len(decorated) == len(ENTRY_POINTS)
    assert len(MODULES) == sum(len(names.split()) for names in ENTRY_POINTS.values())


@needs_numba
def test_everything_is_compiled_once():
    """A plain number among the arguments is a type of its own for Numba, and makes another copy."""
    for item in entries():
        assert len(item.signatures) == 1
        assert item.targetoptions["_nrt"] is False


@needs_numba
def test_numba_is_left_as_it_was():
    """The code of others counts negative indices from the end."""
    last = compiled(lambda numbers, index: numbers[index])
    assert last(np.arange(5), -1) == 4


@needs_numba
def test_numba_has_the_private_parts_that_are_changed_while_kernels_compile():
    """If this fails with a new Numba, everything works, and some functions run half as fast."""
    arrayobj, caching = import_module("numba.np.arrayobj"), import_module("numba.core.caching")
    before = [arrayobj.fix_integer_index, caching.Cache.load_overload]
    with compiler.patched_numba():
        assert arrayobj.fix_integer_index is not before[0]
        assert caching.Cache.load_overload is not before[1]
    assert [arrayobj.fix_integer_index, caching.Cache.load_overload] == before


HALVES = """
from __future__ import annotations
from noughts.rules.kernels import jit

@jit.inlined
def half(n):
    return n >> 1
"""
SUMS = """
from __future__ import annotations
from noughts.rules.kernels import jit
from noughts.rules.kernels.halves import half

@jit.embedded
def total(n):
    found = 0
    for i in range(n):
        found += half(i)
    return found

@jit.entry
def sum_of_halves(n: int) -> int:
    return total(n)
"""
SUM = "from noughts.rules.kernels.sums import sum_of_halves; print(sum_of_halves(10))\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A copy of the package with two more kernels, the second of which calls the first: they are soon compiled."""
    folder = tmp_path_factory.mktemp("small")
    shutil.copytree(PACKAGE, folder / "noughts", ignore=shutil.ignore_patterns("__pycache__"))
    kernels = folder / "noughts" / "rules" / "kernels"
    (kernels / "halves.py").write_text(HALVES)
    (kernels / "sums.py").write_text(SUMS)
    return folder


@pytest.fixture(scope="module")
def small_cache(tmp_path_factory, small):
    """Its cache, made by two processes at once, and what they said."""
    folder = tmp_path_factory.mktemp("cache")
    both = [run(SUM, folder, small), run(SUM, folder, small)]
    return folder, [output(process) for process in both]


@needs_numba
def test_code_that_allocates_is_refused(monkeypatch):
    """What keeps reference counting out of the kernels is a private option of Numba: is it still there?"""
    monkeypatch.setattr(jit, "code_dir", lambda: None)

    def allocating(n: "int") -> "int":
        return np.zeros(n, np.int64)[0]

    with pytest.raises(jit.numba.core.errors.NumbaError):
        jit.entry(allocating)


@needs_numba
def test_two_processes_compile_at_once_and_a_third_runs_from_their_cache(small, small_cache):
    folder, ((first, one), (second, other)) = small_cache
    said = one + other  # the one that comes late finds the code, or compiles it too
    assert 1 <= said.count("compiling, once on this machine; about 3 s for the rules") == said.count("\n") <= 2
    third, quiet = output(run(SUM, folder, small))
    assert first == second == third == "20\n"
    assert quiet == ""


def test_each_form_gives_the_same_results():
    compiled, quiet = output(run(SCRIPT))
    assert quiet == "", "importing them here has compiled all, and nothing is compiled twice"
    forms = {form.PYTHON} | ({form.NUMBA} if form.FORM == form.EXTENSION else set())
    forms |= {form.EXTENSION} if form.extension()[0] else set()
    for other in forms - {form.FORM}:
        assert output(run(SCRIPT, NOUGHTS_KERNELS=other))[0] == compiled, other


@needs_numba
def test_an_edit_in_one_kernel_file_reaches_the_cached_code_of_another(tmp_path, small):
    """sums.py calls halves.py; its cached code must not outlive an edit there."""
    shutil.copytree(small / "noughts", tmp_path / "noughts")
    script = f"import noughts; print(noughts.__file__)\n{SUM}"
    before, said = output(run(script, tmp_path / "cache", tmp_path))
    assert before == f"{tmp_path / 'noughts' / '__init__.py'}\n20\n"
    assert "compiling" in said
    for name in ("envs/gym.py", "rules/spec.py"):  # an edit elsewhere compiles nothing anew
        with open(tmp_path / "noughts" / name, "a") as file:
            file.write("# edited")
    assert output(run(script, tmp_path / "cache", tmp_path)) == (before, "")
    (tmp_path / "noughts" / "rules" / "kernels" / "halves.py").write_text(HALVES.replace("n >> 1", "n >> 2"))
    after, _ = output(run(script, tmp_path / "cache", tmp_path))
    assert after.endswith("\n8\n")


@needs_numba
def test_it_runs_where_nothing_can_be_written(tmp_path, small):
    blocked = tmp_path / "file"
    blocked.write_text("")
    out, said = output(run(SUM, blocked / "cache", small))
    assert out == "20\n"
    assert "on every run" in said
    assert "NOUGHTS_CACHE_DIR" in said


@needs_numba
@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
def test_damaged_files_in_the_cache_are_survived(tmp_path, small, small_cache, kind):
    cache = shutil.copytree(small_cache[0], tmp_path / "cache")
    files = list(cache.rglob(kind))
    assert files
    for file in files:
        file.write_bytes(b"")
    assert output(run(SUM, cache, small))[0] == "20\n"


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_batch_step_plays_the_same_games_as_states(name):
    game = load(name)
    facts, n = game.facts, 20
    rows = np.zeros((n, facts[layout.ROW_WORDS]), np.int64)
    masks = np.zeros((n, game.num_distinct_actions()), np.int8)
    scratch, actions, results = np.zeros(facts[layout.ACTIONS], np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    random_streams = streams(5, n)
    batch.reset_all(facts, rows)
    states = [game.new_initial_state() for _ in range(n)]
    while not all(state.is_terminal() for state in states):
        batch.mask_all(facts, rows, masks, scratch)
        batch.choose_all(facts, rows, random_streams, actions)
        batch.step_all(facts, rows, actions, results)
        for i, state in enumerate(states):
            assert masks[i].tolist() == state.legal_actions_mask().tolist()
            if state.is_terminal():
                assert actions[i] == batch.NO_ACTION
                assert results[i] == batch.ILLEGAL
                continue
            state.apply_action(actions[i])
            assert results[i] == state.words[layout.STATUS]
            assert rows[i].tolist() == state.words[: len(rows[i])].tolist()


def test_illegal_batch_actions_change_nothing(game):
    facts = game.facts
    rows = np.zeros((2, facts[layout.ROW_WORDS]), np.int64)
    batch.reset_all(facts, rows)
    before, results = rows.copy(), np.zeros(2, np.int64)
    batch.step_all(facts, rows, np.array([-1, game.num_distinct_actions()]), results)
    assert results.tolist() == [batch.ILLEGAL, batch.ILLEGAL]
    assert np.array_equal(rows, before)


def test_the_nth_bit_is_the_same_on_every_machine():
    ways = [compiled(lambda x, n: bits.nth_bit_by_halves(x, n)), compiled(lambda x, n: bits.nth_bit(x, n))]
    for x in [*range(1, 300), 0x8000, 0xFFFF, 0xA5A5, 0x8001, 0x7FFE]:
        places = [place for place in range(16) if x >> place & 1]
        for way in ways:
            assert [way(x, n) for n in range(len(places))] == places


def test_random_choices_are_uniform():
    game = noughts.load_game("wild")
    n = 18_000
    rows = np.zeros((n, game.facts[layout.ROW_WORDS]), np.int64)
    actions = np.zeros(n, np.int64)
    batch.reset_all(game.facts, rows)
    batch.choose_all(game.facts, rows, streams(1, n), actions)
    counts = np.bincount(actions, minlength=18)
    assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-square with 17 degrees of freedom: beyond 0.9998


def optimised_code(function):
    """What LLVM made of an entry point, before it became instructions."""
    (compiled,) = function.overloads.values()
    return str(compiled.library._get_module_for_linking())


@needs_numba
def test_the_network_works_on_all_lanes_at_once_and_the_search_divides_by_constants_only():
    for function in (alphabeta.alpha_beta, position.set_position):
        code = optimised_code(function)
        for step in ("add", "sub", "lshr"):
            assert re.search(rf"= {step} [a-z ]*<{WIDTH} x i16>", code)
        for step in ("mul", "add"):
            assert re.search(rf"= {step} [a-z ]*<{WIDTH} x i32>", code)
    divisors = re.findall(r"= [su](?:div|rem) (?:exact )?\S+ \S+, (\S+)", optimised_code(alphabeta.alpha_beta))
    assert all(re.fullmatch(r"-?\d+", divisor) for divisor in divisors)


@needs_numba
def test_no_loop_divides_several_numbers_at_a_time():
    """Processors have no instruction for that: such a loop is slower than one that takes number after number."""
    for function in entries():
        assert not re.search(r"= [su](?:div|rem) (?:exact )?<", optimised_code(function)), function
