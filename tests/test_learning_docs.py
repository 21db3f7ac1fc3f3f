"""What the pages on learning and environments say: their code runs, their numbers are true, the notebook agrees."""

import json
import re
from pathlib import Path

import pytest

import noughts
from noughts.learn import Training, preset

ROOT = Path(__file__).parents[1]
TUTORIAL = (ROOT / "docs" / "q-learning.md").read_text()
NOTEBOOK = json.loads((ROOT / "examples" / "learner.ipynb").read_text())


def python_blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run(code, capsys):
    """Run code and compare what each `print(...)   # expected` prints."""
    expected = re.findall(r"^print\(.*\) +# (.*)$", code, re.MULTILINE)
    exec(compile(code, "docs", "exec"), {"__name__": "docs"})
    printed = capsys.readouterr().out.splitlines()
    for line in expected:
        assert any(line.split(": ")[0] == shown for shown in printed), line


def test_the_tutorial_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    run("\n".join(python_blocks(TUTORIAL)), capsys)
    for name in ("convergence.png", "learning.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_notebook_has_the_code_of_the_tutorial():
    cells = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    shown = [re.sub(r"figure\.savefig\(.*\)\n", "figure\n", block).strip() for block in python_blocks(TUTORIAL)]
    assert [cell.removeprefix("%matplotlib inline\n") for cell in cells] == shown
    assert not any(cell.get("outputs") for cell in NOTEBOOK["cells"])


def test_the_figures_of_the_published_run_are_true():
    training = Training(preset("published", noughts.load_game("numerical").rules, {"every": 5_000_000})).finish()
    for value, true in zip(training.tracked_values(), training.exact_values(), strict=True):
        assert f"| {value:.2f} | {true:.2f} |".replace("| -0.00", "| 0.00") in TUTORIAL
    (value,), (optimum,) = training.table.greedy_policy_values(), training.optima()
    said = f"{value.win:.2%} of its games, draws {value.draw:.2%} and loses {value.loss:.2%}"
    assert said in TUTORIAL.replace("\n", " ")
    assert f"| greedy return, exact | {value.expected_return:.4f} | 7.7834 |" in TUTORIAL
    assert f"| the best possible | {optimum:.4f} | 7.7834 |" in TUTORIAL
    pairs = len(training.table.arrays()["values"])
    assert round(pairs / 1e6, 1) == 7.0
    positions = len(noughts.solve(noughts.load_game("numerical")).graph.codes)
    assert f"{positions:,}" in TUTORIAL


@pytest.mark.parametrize("number", range(5))
def test_the_examples_of_environments_run(number, capsys):
    for package in ("gymnasium", "pettingzoo", "pyspiel"):
        pytest.importorskip(package)
    run(python_blocks((ROOT / "docs" / "environments.md").read_text())[number], capsys)
