"""Writes the pages of the notebooks in `examples/`, with what they print and draw: python docs/notebooks/make.py

Needs nbclient and ipykernel. A test holds that the pages have the notebooks' text and programs.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
LINES_SHOWN = 30
MOST_HTML = 10_000
LARGE = "*(Here the notebook shows a board to step through.)*"
"""Stands for a larger output, which is a whole page."""


def page(name: str) -> str:
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    parts = []
    for number, cell in enumerate(notebook.cells):
        parts.append(cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```")
        parts += [shown(output, f"{name}-{number}-{place}") for place, output in enumerate(outputs(cell))]
    title, _, rest = "\n\n".join(filter(None, parts)).partition("\n")
    return f"{title}\n\nThe notebook `examples/{name}.ipynb`, with what it prints.\n{rest}\n"


def outputs(cell: Any) -> list[Any]:
    """Returns what a cell shows: prints as one text, without the bars of progress."""
    found = [output for output in cell.get("outputs", ()) if output.get("name") != "stderr"]
    prints = "".join(output.text for output in found if output.output_type == "stream")
    return [*([{"text": prints}] if prints else []), *(output for output in found if output.output_type != "stream")]


def shown(output: Any, name: str) -> str:
    """Returns an output as Markdown: a picture in a file, a table as HTML, or text."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return picture(f"{name}.svg", data["image/svg+xml"].encode())
    if "image/png" in data:
        return picture(f"{name}.png", base64.b64decode(data["image/png"]))
    if "text/html" in data:
        text = " ".join(data["text/html"].split())  # on one line: Markdown ends HTML at an empty one
        return f"<div>{text}</div>" if 0 < len(text) <= MOST_HTML else LARGE if text else ""
    lines = (output.get("text") or data.get("text/plain", "")).rstrip().splitlines()
    if len(lines) > LINES_SHOWN:
        lines = [*lines[:LINES_SHOWN], "..."]
    return "\n".join(["```text", *lines, "```"]) if lines else ""


def picture(file: str, data: bytes) -> str:
    (HERE / file).write_bytes(data)
    return f"![output]({file})"


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.ipynb")):
        for old in HERE.glob(f"{name}-[0-9]*"):
            old.unlink()
        (HERE / f"{name}.md").write_text(page(name), encoding="utf-8")
