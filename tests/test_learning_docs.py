"""What the page on learning says: its numbers are true, and the notebook agrees. test_docs_run.py runs its code."""

import json
import re

from pages import DOCS, ROOT, blocks

import noughts
from noughts.learn import Training, preset

TUTORIAL = (DOCS / "q-learning.md").read_text()
NOTEBOOK = json.loads((ROOT / "examples" / "learner.ipynb").read_text())


def test_the_notebook_has_the_code_of_the_tutorial():
    cells = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    shown = [
        re.sub(r"figure\.savefig\(.*\)\n", "figure\n", block).strip()
        for block in blocks(DOCS / "q-learning.md", "python")
    ]
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
