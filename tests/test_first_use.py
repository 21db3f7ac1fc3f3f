"""The first use on a machine, from an empty cache: who waits, when, and the messages."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from kernel_arrays import needs_numba

from noughts.rules.kernels import jit

pytestmark = needs_numba

PLAY = """
import json, os, sys
from noughts.rules.kernels import jit
compile_or_load, entries = jit._compiled, []

def noted(function, *rest):
    entries.append(function.__name__)
    return compile_or_load(function, *rest)

jit._compiled = noted

import noughts
from noughts.clock import Clock
from noughts.players import make_player
for name, game in json.loads(sys.argv[1]):
    if os.fork() == 0:
        game, player = noughts.load_game(game), make_player(name, seed=1)
        state = game.new_initial_state()
        player.prepare(game)
        print(name, len(entries) > 0, flush=True)
        entries.clear()
        while not state.is_terminal():
            state.apply_action(player.choose(state.clone(), Clock(0.005)))
        print(name, entries, flush=True)
        os._exit(0)
    os.wait()
"""


def python(code, cache=None, *arguments, **variables):
    """Run a program with its own cache folder, or with that of these tests."""
    environment = {**os.environ, **({} if cache is None else {"NOUGHTS_CACHE_DIR": str(cache)}), **variables}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def noughts(command, cache, **variables):
    code = "import sys; from noughts.cli import main; sys.argv = ['noughts', *{!r}.split()]; sys.exit(main())"
    return python(code.format(command), cache, **variables)


def compiled(cache):
    """The functions that are kept, as module.function."""
    return {file.name.split("-")[0] for file in cache.rglob("*.nbi")}


def test_nothing_is_compiled_while_a_clock_runs():
    """Nor even loaded: what comes out of the cache here would have been compiled without it."""
    games = {
        "greedy": "extreme",
        "perfect": "classic",
        "alphabeta": "extreme",
        "alphabeta:level=2": "wild",
        "mcts": "ultimate",
    }
    out, _ = python(PLAY, None, json.dumps([*games.items()]))
    assert out.splitlines() == [f"{name} {said}" for name in games for said in ("True", "[]")]


def play(cache, typed):
    code = "import sys; from noughts.cli import main; sys.exit(main(['play', 'extreme', '--seed', '1', '--ascii']))"
    environment = {**os.environ, "NOUGHTS_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, input=typed, text=True, capture_output=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_first_board_does_not_wait_for_the_opponent(tmp_path):
    """Another process compiles the search while the person thinks; who leaves before that leaves nothing behind."""
    out, said = play(tmp_path, "quit\n")
    assert "you (X)>" in out
    assert "To continue from here" in out
    assert "alphabeta.alpha_beta" not in compiled(tmp_path)
    assert "Traceback" not in said
    out, said = play(tmp_path, "0,0\nquit\n")
    assert "Level 3 plays" in out
    assert "compiling the search, once on this machine" in said
    assert "alphabeta.alpha_beta" in compiled(tmp_path)


def test_help_compiles_nothing(tmp_path):
    out, said = noughts("evaluate --help", tmp_path)
    assert "usage: noughts evaluate" in out
    assert (said, compiled(tmp_path)) == ("", set())


ANY_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
"""Without the vector instructions of this machine."""
SEARCH = """
import noughts
from noughts.search import Engine, Limits
for name in ("ultimate", "xtreme", "extreme"):
    state = noughts.load_game(name).new_initial_state()
    print(Engine(state.game, memory=1).search(state, Limits(nodes=20_000)).variations)
"""


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    """An empty cache after an analysis, by code for any processor; and what was said meanwhile."""
    cache = tmp_path_factory.mktemp("cache")
    return cache, noughts("analyze extreme --depth 1", cache, **ANY_PROCESSOR)[1]


def test_analysing_a_nested_game_compiles_the_search_and_not_the_solver(analysed):
    cache, said = analysed
    rooms = {path.parent.parent.name for path in cache.rglob("*.nbi")}
    functions = compiled(cache)
    assert any("alpha_beta" in name for name in functions), (rooms, functions)
    assert not any("expand" in name or "learn" in name or "run_simulations" in name for name in functions)
    # One line, however much is compiled; the next time, none.
    assert len(said.splitlines()) == 1
    assert "s for the search" in said
    assert "noughts warm" in said
    assert noughts("analyze extreme --depth 1", cache, **ANY_PROCESSOR)[1] == ""


def test_code_for_any_processor_searches_the_same(analysed):
    """The same nodes and scores."""
    plain, said = python(SEARCH, analysed[0], **ANY_PROCESSOR)
    assert said == ""
    assert (plain, "") == python(SEARCH)


def test_after_warm_nothing_is_left_to_compile(tmp_path):
    """From each group that one process compiles, one quick entry point is missing."""
    everything = "import noughts.commands.warm as warm\nfor module in warm.ENTRY_POINTS: warm._load(module)"
    python(everything)
    kept = jit.code_dir()
    cache = tmp_path / "code" / kept.name
    shutil.copytree(kept, cache)
    known = compiled(cache)
    assert len(known) >= 30
    missing = {"batch.reset_all", "graph.enter_all", "mcts.re_root", "pairs.rehash"}
    for name in missing:
        for file in cache.rglob(f"{name}-*.nbi"):
            file.unlink()
    assert compiled(cache) == known - missing
    out, said = noughts("warm", tmp_path)
    assert "Everything is compiled" in out
    assert said == ""
    assert compiled(cache) == known
    assert python(everything, tmp_path) == ("", "")


def test_warm_says_when_nothing_can_be_kept(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {**os.environ, "NOUGHTS_CACHE_DIR": str(blocked / "cache")}
    code = "import sys; from noughts.cli import main; sys.exit(main(['warm']))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, text=True, capture_output=True, timeout=240)
    assert done.returncode == 2
    assert "is not writable" in done.stderr
    assert "Traceback" not in done.stderr
