"""What is not installed is asked for in one line."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("noughts.envs.gym", "gymnasium", "rl"),
        ("noughts.envs.vector", "gymnasium", "rl"),
        ("noughts.envs.zoo", "pettingzoo", "rl"),
        ("noughts.envs.openspiel", "pyspiel", "openspiel"),
        ("noughts.envs.textarena", "textarena", "textarena"),
    ],
)
def test_a_missing_extra_is_named(module, missing, extra):
    script = f"import sys; sys.modules[{missing!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=120)
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {module} needs ")
    assert f"pip install 'noughts[{extra}]'" in done.stderr
