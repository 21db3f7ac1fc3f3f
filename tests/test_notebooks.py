"""The notebooks run from top to bottom, as they are kept: without outputs, and with what shows itself shown."""

import json
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


def test_there_are_four_short_ones():
    names = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))
    assert names == ["bot-author.ipynb", "learner.ipynb", "researcher.ipynb", "teacher.ipynb"]
    for name in names:
        assert len(json.loads((EXAMPLES / name).read_text())["cells"]) <= 20


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_page_of_a_notebook_has_its_text_and_programs(path):
    page = (ROOT / "docs" / "notebooks" / f"{path.stem}.md").read_text(encoding="utf-8")
    place = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        # The first line of a page is followed by one that says which notebook it is.
        text = "".join(cell["source"]).partition("\n\n")[2] if place == 0 else "".join(cell["source"])
        assert text in page[place:], f"python docs/notebooks/make.py {path.stem} writes it again"
        place = page.index(text, place) + 1


@pytest.mark.skipif(sys.platform != "linux", reason="bot files need Linux")
@pytest.mark.filterwarnings("ignore")  # of the client's event loop, which are none of ours
def test_a_bot_author(tmp_path):
    outputs = executed("bot-author.ipynb", tmp_path)
    assert {"text/html", "image/svg+xml"} <= kinds(outputs)
    assert "better" in said(outputs)


@pytest.mark.filterwarnings("ignore")
def test_a_researcher(tmp_path):
    outputs = executed("researcher.ipynb", tmp_path)
    assert "text/html" in kinds(outputs)
    assert "perfect  1.0000 0.0000" in said(outputs) or "perfect  0." in said(outputs)
    assert "gave away" in said(outputs)
    assert "You are Player 0 in Wild Tic Tac Toe." in said(outputs)


@pytest.mark.filterwarnings("ignore")
def test_a_teacher(tmp_path):
    outputs = executed("teacher.ipynb", tmp_path)
    assert {"text/html", "image/svg+xml"} <= kinds(outputs)
    assert "class.html" in said(outputs)
    assert (tmp_path / "pages" / "class.html").exists()


@pytest.mark.filterwarnings("ignore")
def test_a_learner(tmp_path):
    pytest.importorskip("matplotlib")
    outputs = executed("learner.ipynb", tmp_path)
    assert "image/png" in kinds(outputs)
