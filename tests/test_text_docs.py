"""The page about text play: its code runs from top to bottom, as a reader would run it."""

import re
from pathlib import Path

import processes
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "text.md"


def test_the_code_of_the_page_runs(tmp_path):
    pytest.importorskip("textarena", reason="textarena is not installed: pip install 'noughts[textarena]'")
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    done = processes.run_code(code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("You are Player 0 in Wild Tic Tac Toe.")
    assert "False True [X 4]" in done.stdout
    assert "given_away" not in done.stdout
    assert "Interval(n=" in done.stdout
    assert "('random', 'perfect') line" in done.stdout
    assert re.search(r"^0 \d+ -?[01].0 ", done.stdout, re.MULTILINE)


def test_the_page_names_every_environment_and_every_reason():
    from noughts.envs.text import ENV_GAMES
    from noughts.text.replies import REASONS

    page = PAGE.read_text()
    for word in (*ENV_GAMES, *REASONS):
        assert f"`{word}`" in page, word
