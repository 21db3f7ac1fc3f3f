"""What is not installed is asked for in one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_INDEX = re.compile(r"pip install ['\"]?noughts")


@pytest.mark.parametrize(
    ("module", "missing", "package"),
    [
        ("noughts.envs.gym", "gymnasium", "gymnasium"),
        ("noughts.envs.vector", "gymnasium", "gymnasium"),
        ("noughts.envs.zoo", "pettingzoo", "pettingzoo"),
        ("noughts.envs.openspiel", "pyspiel", "open_spiel"),
        ("noughts.envs.textarena", "textarena", "textarena"),
    ],
)
def test_a_missing_package_is_named(module, missing, package):
    script = f"import sys; sys.modules[{missing!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=120)
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {module} needs ")
    assert done.stderr.endswith(f"pip install {package}\n")


def test_a_command_without_its_package_says_what_to_install():
    script = "import sys; sys.modules['mcp'] = None; from noughts.cli import main; sys.exit(main(['mcp']))"
    silent = {**os.environ, "NOUGHTS_SAY_NOTHING": "1"}  # about compiling, if nothing is compiled yet
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=120, env=silent)
    assert done.returncode == 2
    assert done.stderr == "noughts: noughts.envs.mcp needs mcp 2 or newer: pip install mcp\n"


def test_no_message_recommends_a_package_that_no_index_has():
    """Until there is a release, hints and pages name packages that can be had, or what works in a clone."""
    root = Path(__file__).parents[1]
    texts = [
        *root.glob("*.md"),
        *(root / "docs").glob("*.md"),
        *(root / "src").rglob("*.py"),
        *(root / "examples").rglob("*"),
    ]
    hints = [
        path
        for path in texts
        if path.suffix in (".md", ".py", ".ipynb") and _INDEX.search(path.read_text(encoding="utf-8"))
    ]
    assert hints == []
