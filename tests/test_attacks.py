"""Hostile bots get the verdict that their file names, and leave nothing behind; innocent ones just play.

Each file of attacks/ says what must come of it: `# verdict: kind|kind: words of the fault`, or `plays` where the
attack comes to nothing. All of it holds as root and as an ordinary user.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numba
import pytest

import noughts
from noughts.sandbox import KINDS

HERE = Path(__file__).parent
ATTACKS = sorted(path.stem for path in (HERE / "attacks").glob("*.py"))
INNOCENTS = sorted(path.stem for path in (HERE / "innocents").glob("*.py"))
NOBODY = 65534

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sandbox is made of Linux")


def environment(folder):
    roots = {str(Path(module.__file__).parents[1]) for module in (noughts, numba)}
    return {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join(roots),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_DISABLE_JIT": "1",
        "NOUGHTS_CACHE_DIR": str(folder),
        "CANARY": str(folder / "canary"),
    }


def run(python, arguments, folder, user):
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    return subprocess.run(
        [python, *arguments], env=environment(folder), cwd="/", capture_output=True, text=True, timeout=300, **who
    )


@cache
def python_for(user, folder):
    """An interpreter that the user may run and that has what we need."""
    if user is None:
        return sys.executable
    for python in (sys.executable, os.path.realpath(sys.executable), "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            if run(python, ["-c", "import noughts.game"], folder, user).returncode == 0:
                return python
        except OSError:
            continue
    return None


@pytest.fixture(scope="module", params=["this user", "an ordinary user"])
def user(request):
    if request.param == "this user":
        return None
    if os.getuid() != 0:
        pytest.skip("this user is an ordinary one")
    return NOBODY


@pytest.fixture(scope="module")
def outcomes(user):
    """What became of all bots: {folder: {"verdicts", "after"}}."""
    # Not below pytest's folder, which is closed to other users.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "canary").write_text("alive")
        for path in (folder, folder / "canary"):
            if user is not None:
                shutil.chown(path, user, user)
        return play_all(user, folder)


def play_all(user, folder):
    python = python_for(user, folder)
    if python is None:
        pytest.skip("there is no Python that an ordinary user may run and that has numba")
    folders = [str(HERE / name) for name in ("attacks", "innocents")]
    done = run(python, [str(HERE / "attack_driver.py"), *folders], folder, user)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_there_are_many_attacks():
    assert len(ATTACKS) > 150


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_fails(outcomes, attack):
    wanted = re.search(r"^# verdict: (.+)$", (HERE / "attacks" / f"{attack}.py").read_text(), re.MULTILINE)[1]
    kinds, _, words = wanted.partition(": ")
    assert set(kinds.split("|")) <= {*KINDS, "plays"}
    got = outcomes["attacks"]["verdicts"][attack]
    assert got["kind"] in kinds.split("|"), got
    assert words in got["text"], got
    assert got["faulty"] in (0, None), "the opponent is never blamed"
    assert got["text"].isprintable()


@pytest.mark.parametrize("innocent", INNOCENTS)
def test_an_innocent_bot_plays_on(outcomes, innocent):
    got = outcomes["innocents"]["verdicts"][innocent]
    assert got["kind"] == "plays", got


def test_nothing_is_left_behind(outcomes, user):
    for name in ("attacks", "innocents"):
        after = outcomes[name]["after"]
        assert after["user"] == (os.getuid() if user is None else user)
        assert after["descriptors"] == 0
        assert after["processes"] == []
        assert after["files"]
        assert after["tmp"] == []
