"""Compiled code: the same results uncompiled, one signature each, a disk cache that notices changes and crowds."""

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import EVERY_GAME, load
from numba import njit, types
from numba.core.errors import NumbaError

import noughts
from noughts.envs import kernels as duels
from noughts.learn.kernels import afterstates, greedy, pairs
from noughts.rules.kernels import batch, bits, compiler, images, jit, layout, observe, perft, playout
from noughts.rules.kernels import core as kernel
from noughts.rules.kernels.playout import streams
from noughts.search.kernels import alphabeta, mcts, position
from noughts.search.kernels.network_layout import WIDTH
from noughts.solving.kernels import graph

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
    modules = (
        *(afterstates, batch, duels, graph, greedy, images, kernel, observe, pairs, perft, playout),
        *(alphabeta, mcts, position),
    )
    return [item for module in modules for item in vars(module).values() if hasattr(item, "signatures")]


def test_everything_is_compiled_once():
    """A plain number among the arguments is a type of its own for Numba, and makes another copy."""
    # Functions for inlining are compiled only where a test calls one by itself.
    compiled = [item for item in entries() if item.signatures and "inline" not in item.targetoptions]
    assert len(compiled) > 10
    for item in compiled:
        assert len(item.signatures) == 1
        assert item.targetoptions["_nrt"] is False


@pytest.mark.skipif(not compiler.FAST_WANTED, reason="Numba is to compile in its usual way")
def test_numba_has_all_that_hastens_compiling():
    """If this fails with a new Numba, everything works, and compiling takes twice as long or more."""
    assert compiler.COMPILES_FAST
    assert {"entry", "part", "optimised part"} == {*compiler.PIPELINES}


HALVES = """
from noughts.rules.kernels import jit

@jit.inlined
def half(n):
    return n >> 1
"""
SUMS = """
from noughts.rules.kernels import jit
from noughts.rules.kernels.halves import half

@jit.embedded
def total(n):
    found = 0
    for i in range(n):
        found += half(i)
    return found

@jit.entry("int64(int64)")
def sum_of_halves(n):
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


def test_numba_compiles_in_its_usual_way_if_it_is_told_to(tmp_path, small):
    """That all games, searches and solutions are then the same .ci/run tells: it runs their tests a second time."""
    script = f"from noughts.rules.kernels import compiler; print(compiler.COMPILES_FAST)\n{SUM}"
    assert output(run(script, tmp_path, small, NOUGHTS_PLAIN_NUMBA="1"))[0] == "False\n20\n"


@pytest.mark.skipif(not compiler.COMPILES_FAST, reason="Numba compiles in its usual way")
@pytest.mark.parametrize("owner", ["typed_passes.NativeLowering", "dispatcher._FunctionCompiler"])
def test_a_numba_that_lacks_a_piece_compiles_in_its_usual_way(tmp_path, small, owner):
    """It is hidden while `compiler` looks for it."""
    module, name = owner.split(".")
    script = (
        f"import numba, numba.core.{module} as module\n"
        f"piece = module.{name}; del module.{name}\n"
        "from noughts.rules.kernels import compiler\n"
        f"module.{name} = piece\n"
        "print(compiler.COMPILES_FAST)\n"
    )
    assert output(run(script + SUM, tmp_path, small))[0] == "False\n20\n"


def test_numba_is_left_as_it_was():
    """Code of others is typed by Numba alone."""
    assert types.BaseFunction.get_call_type.__module__.startswith("numba.")
    assert gc.isenabled()


@pytest.mark.skipif(not compiler.COMPILES_FAST, reason="Numba compiles in its usual way")
def test_a_part_refuses_to_be_called_by_python():
    """There is no machine code of it: it must not crash."""
    with pytest.raises(TypeError):
        bits.nth_bit(5, 1)


def test_code_that_allocates_is_refused(monkeypatch):
    """What keeps reference counting out of the kernels is a private option of Numba: is it still there?"""
    monkeypatch.setattr(jit, "code_dir", lambda: None)

    def allocating(n):
        return np.zeros(n, np.int64)[0]

    with pytest.raises(NumbaError):
        jit.entry("int64(int64)")(allocating)


def test_two_processes_compile_at_once_and_a_third_runs_from_their_cache(small, small_cache):
    folder, ((first, one), (second, other)) = small_cache
    said = one + other  # the one that comes late finds the code, or compiles it too
    assert 1 <= said.count("compiling, once on this machine; about 1 s for the rules") == said.count("\n") <= 2
    third, quiet = output(run(SUM, folder, small))
    assert first == second == third == "20\n"
    assert quiet == ""


def test_everything_runs_from_the_cache_and_uncompiled_the_same(tmp_path):
    assert entries()  # importing them here has compiled all
    compiled, quiet = output(run(SCRIPT))
    assert quiet == "", "nothing is compiled twice"
    uncompiled, _ = output(run(SCRIPT, tmp_path, NUMBA_DISABLE_JIT="1"))
    assert uncompiled == compiled


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


def test_it_runs_where_nothing_can_be_written(tmp_path, small):
    blocked = tmp_path / "file"
    blocked.write_text("")
    out, said = output(run(SUM, blocked / "cache", small))
    assert out == "20\n"
    assert "on every run" in said
    assert "NOUGHTS_CACHE_DIR" in said


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc", "*.part"])
def test_damaged_files_in_the_cache_are_survived(tmp_path, small, small_cache, kind):
    if kind == "*.part" and not compiler.COMPILES_FAST:
        pytest.skip("Numba compiles in its usual way")
    cache = shutil.copytree(small_cache[0], tmp_path / "cache")
    files = list(cache.rglob(kind))
    assert files
    for file in files:
        file.write_bytes(b"")
    if kind == "*.part":  # they are read where an entry point must be compiled
        for file in cache.rglob("*.nb?"):
            file.unlink()
    assert output(run(SUM, cache, small))[0] == "20\n"
    if kind == "*.part":  # and were made anew
        assert all(file.stat().st_size for file in files)


@pytest.mark.skipif(not compiler.COMPILES_FAST, reason="Numba compiles in its usual way")
def test_a_part_that_one_program_typed_serves_the_next(tmp_path):
    """The same games by code of which all parts come from the disk: from the cache of these tests."""
    script = """
import noughts
from noughts.rules.kernels import core, playout
print(noughts.playouts(noughts.load_game("extreme"), 50, 1))
for function in (core.apply_move, playout.play_games):
    print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""
    folder = jit.code_dir()
    parts = shutil.copytree(folder / "parts", tmp_path / "code" / folder.name / "parts")
    kept = {file: file.stat().st_mtime_ns for file in parts.iterdir()}
    games = str(noughts.playouts(noughts.load_game("extreme"), 50, 1))
    assert output(run(script, tmp_path))[0].splitlines() == [games, "1 0", "0 1"]
    assert kept == {file: file.stat().st_mtime_ns for file in parts.iterdir()}


@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_batch_step_plays_the_same_games_as_states(name):
    game = load(name)
    facts, n = game._facts, 20
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
            assert results[i] == state._words[layout.STATUS]
            assert rows[i].tolist() == state._words[: len(rows[i])].tolist()


def test_illegal_batch_actions_change_nothing(game):
    facts = game._facts
    rows = np.zeros((2, facts[layout.ROW_WORDS]), np.int64)
    batch.reset_all(facts, rows)
    before, results = rows.copy(), np.zeros(2, np.int64)
    batch.step_all(facts, rows, np.array([-1, game.num_distinct_actions()]), results)
    assert results.tolist() == [batch.ILLEGAL, batch.ILLEGAL]
    assert np.array_equal(rows, before)


def test_the_nth_bit_is_the_same_on_every_machine():
    @njit
    def pick(find, x, n):
        return find(x, n)

    ways = [bits.nth_bit_by_halves, bits.nth_bit]
    for x in [*range(1, 300), 0x8000, 0xFFFF, 0xA5A5, 0x8001, 0x7FFE]:
        places = [place for place in range(16) if x >> place & 1]
        for way in ways:
            assert [pick(way, x, n) for n in range(len(places))] == places


def test_random_choices_are_uniform():
    game = noughts.load_game("wild")
    n = 18_000
    rows = np.zeros((n, game._facts[layout.ROW_WORDS]), np.int64)
    actions = np.zeros(n, np.int64)
    batch.reset_all(game._facts, rows)
    batch.choose_all(game._facts, rows, streams(1, n), actions)
    counts = np.bincount(actions, minlength=18)
    assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-square with 17 degrees of freedom: beyond 0.9998


def optimised_code(function):
    """What LLVM made of an entry point, before it became instructions."""
    (compiled,) = function.overloads.values()
    return str(compiled.library._get_module_for_linking())


def test_the_network_works_on_all_lanes_at_once_and_the_search_divides_by_constants_only():
    for function in (alphabeta.alpha_beta, position.set_position):
        code = optimised_code(function)
        for step in ("add", "sub", "lshr"):
            assert re.search(rf"= {step} [a-z ]*<{WIDTH} x i16>", code)
        for step in ("mul", "add"):
            assert re.search(rf"= {step} [a-z ]*<{WIDTH} x i32>", code)
    divisors = re.findall(r"= [su](?:div|rem) (?:exact )?\S+ \S+, (\S+)", optimised_code(alphabeta.alpha_beta))
    assert all(re.fullmatch(r"-?\d+", divisor) for divisor in divisors)


def test_no_loop_divides_several_numbers_at_a_time():
    """Processors have no instruction for that: such a loop is slower than one that takes number after number."""
    for function in entries():
        if function.signatures and not {"inline", "no_cpython_wrapper"} & {*function.targetoptions}:
            assert not re.search(r"= [su](?:div|rem) (?:exact )?<", optimised_code(function)), function
