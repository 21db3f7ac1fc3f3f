"""The first use on a machine, from an empty cache: who waits, when, and what is said."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from noughts.commands.warm import module_groups
from noughts.rules.kernels.jit import WAITS

PLAY = """
import noughts
from noughts.clock import Clock
from noughts.players import make_player
from noughts.rules.kernels import jit

name, game = {name!r}, noughts.load_game({game!r})
player = make_player(name, seed=1)
player.prepare(game)
compile_entry, on_the_clock = jit._compiled, []

def noted(function, *rest):
    on_the_clock.append(function.__name__)
    return compile_entry(function, *rest)

jit._compiled = noted
state = game.new_initial_state()
while not state.is_terminal():
    state.apply_action(player.choose(state.clone(), Clock(0.02)))
print(on_the_clock)
"""


def python(code, cache, **variables):
    environment = {**os.environ, "NOUGHTS_CACHE_DIR": str(cache), **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, text=True, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def noughts(command, cache):
    code = "import sys; from noughts.cli import main; sys.argv = ['noughts', *{!r}.split()]; sys.exit(main())"
    return python(code.format(command), cache)


def compiled(cache):
    """The functions that are kept, as module.function."""
    return {file.name.split("-")[0] for file in cache.rglob("*.nbi")}


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("greedy", "extreme"),
        ("perfect", "classic"),
        ("alphabeta", "extreme"),
        ("alphabeta?level=2", "wild"),
        ("mcts", "ultimate"),
    ],
)
def test_nothing_is_compiled_while_a_clock_runs(tmp_path, name, game):
    out, _ = python(PLAY.format(name=name, game=game), tmp_path)
    assert out == "[]\n"
    assert compiled(tmp_path)  # something was, before


def test_analysing_a_nested_game_compiles_the_search_and_not_the_solver(tmp_path):
    _, said = noughts("analyze extreme --depth 1", tmp_path)
    rooms = {path.parent.parent.name for path in tmp_path.rglob("*.nbi")}
    functions = compiled(tmp_path)
    assert any("alpha_beta" in name for name in functions), (rooms, functions)
    assert not any("expand" in name or "learn" in name or "run_simulations" in name for name in functions)
    # One line for what each wait is for, with its length; the next time, none.
    lines = said.splitlines()
    assert [line.split(",")[0] for line in lines] == ["noughts: compiling the rules", "noughts: compiling the search"]
    assert all("about" in line and "noughts warm" in line for line in lines)
    assert noughts("analyze extreme --depth 1", tmp_path)[1] == ""


def test_after_warm_nothing_is_left_to_compile(tmp_path):
    out, said = noughts("warm", tmp_path)
    assert "Everything is compiled" in out
    assert said == ""
    kept = compiled(tmp_path)
    everything = "import noughts.commands.warm as warm\nfor group in warm.module_groups(): warm._load(group)"
    assert python(everything, tmp_path) == ("", "")
    assert compiled(tmp_path) == kept
    assert len(kept) >= 30


def test_warm_says_when_nothing_can_be_kept(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {**os.environ, "NOUGHTS_CACHE_DIR": str(blocked / "cache")}
    code = "import sys; from noughts.cli import main; sys.exit(main(['warm']))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, text=True, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_waits_are_announced_for_is_there():
    modules = {module for group in module_groups() for module in group}
    assert {*WAITS} <= modules
    assert all(find_spec(module) for module in modules)
