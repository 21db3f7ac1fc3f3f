"""The page's JavaScript in Node, where nothing is drawn: models, notation, recorded games."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import EVERY_GAME, load

from noughts import board

NODE = shutil.which("node")
FOLDER = Path(__file__).parent / "node"
needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node")


def test_no_line_is_longer_than_those_of_python():
    """Biome leaves comments and templates as they are."""
    sources = [*(FOLDER.parents[1] / "src").rglob("static/*.js"), *FOLDER.glob("*.js")]
    lines = [(path, n, line) for path in sources for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)]
    long = [f"{path}:{n}" for path, n, line in lines if len(line) > 120]
    assert len(sources) > 20
    assert long == []


def run_node(*arguments: str, given: str = "") -> str:
    assert NODE is not None
    command = [NODE, "--import", (FOLDER / "setup.js").as_uri(), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=240, check=False, cwd=FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_node
def test_the_models_do_what_their_tests_say():
    files = sorted(str(path) for path in FOLDER.glob("*.test.js"))
    assert "# fail 0" in run_node("--test", "--test-reporter=tap", *files)


@needs_node
def test_a_recorded_game_shows_the_same_as_the_rules():
    """What `frames.js` puts together is what the server would send, in every position of every game."""
    records, expected, written = [], [], []
    for name in EVERY_GAME:
        game, chance = load(name), random.Random(1)
        state = game.new_initial_state()
        views = [board.view(state, legal=False)]
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            views.append(board.view(state, legal=False))
        records.append(board.recorded(game, state.history()))
        expected.append(views)
        written.append([state.action_to_string(action) for action in state.history()])
    frames = json.loads(run_node("show_frames.js", given=json.dumps(records)))
    for (shown, texts), views, moves in zip(frames, expected, written, strict=True):
        assert [{key: one[key] for key in want} for one, want in zip(shown, views, strict=True)] == views
        assert texts == moves
