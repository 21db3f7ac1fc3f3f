"""The notebooks run from top to bottom, as they are kept: without outputs, and with what shows itself shown."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def executed(name, folder):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install nbclient ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def kinds(outputs):
    return {kind for output in outputs for kind in output.get("data", ())}


def said(outputs):
    return "".join(output.get("text", "") for output in outputs)


@pytest.mark.skipif(sys.platform != "linux", reason="bot files need Linux")
@pytest.mark.filterwarnings("ignore")  # of the client's event loop, which are none of ours
def test_why_a_bot_lost(tmp_path):
    outputs = executed("why-a-bot-lost.ipynb", tmp_path)
    assert {"text/html", "image/svg+xml"} <= kinds(outputs)
    assert "better" in said(outputs)


@pytest.mark.filterwarnings("ignore")
def test_grade_a_model(tmp_path):
    outputs = executed("grade-a-model.ipynb", tmp_path)
    assert "text/html" in kinds(outputs)
    assert "gave away" in said(outputs)
    assert "You are Player 0 in Wild Tic Tac Toe." in said(outputs)


@pytest.mark.filterwarnings("ignore")
def test_q_learning(tmp_path):
    pytest.importorskip("matplotlib")
    outputs = executed("q-learning.ipynb", tmp_path)
    assert "image/png" in kinds(outputs)
