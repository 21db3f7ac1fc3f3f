"""The bots of constructs.txt and python3.txt, and the Python 2 of this machine if it has one.

python constructs.py expected    asks Python 2 for the moves anew
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
DRIVER, POSITIONS, EXPECTED = HERE / "driver.py", HERE / "positions.json", HERE / "expected.json"
SECONDS = 300

FRAME = """import sys

class Team:
    def __init__(self):
        self.notes = {{}}
        self.turn = -1

    def move(self, board, old_move, flag):
        self.turn += 1
        turn = self.turn
        cells = board.find_valid_move_cells(old_move)
        k = len(cells)
        row, col = cells[0]
{body}
        return cells[n % k]
"""


def bots() -> dict[str, str]:
    """The source of each bot by its name."""
    sections = (HERE / "constructs.txt").read_text().split("\n=== ")[1:]
    found = {}
    for section in sections:
        name, _, body = section.partition("\n")
        whole = body.strip("\n") + "\n"
        framed = FRAME.format(body="\n".join(" " * 8 + line for line in whole.splitlines()))
        found[name.strip()] = whole if "class Team:" in whole else framed
    return found


def python3_bots() -> dict[str, str]:
    """The source of each bot of python3.txt by its name."""
    sections = [part.partition("\n") for part in (HERE / "python3.txt").read_text(encoding="utf-8").split("\n=== ")[1:]]
    return {name.strip(): body.strip("\n") + "\n" for name, _, body in sections}


@cache
def python2() -> str | None:
    """An interpreter of Python 2: that of NOUGHTS_PYTHON2, of the path, or one that pyenv made."""
    pyenv = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    named = [os.environ.get("NOUGHTS_PYTHON2", ""), "python2.7", "python2", "pypy", "pypy2"]
    found = [shutil.which(name) for name in named if name]
    for path in [*found, *sorted(glob.glob(f"{pyenv}/versions/2.7*/bin/python2.7"))]:
        if path is not None:
            said = subprocess.run(
                [path, "-c", "import sys; print(sys.version_info[0])"], capture_output=True, text=True
            )
            if said.stdout.strip() == "2":
                return path
    return None


def moves(interpreter: str, sources: dict[str, str], folder: Path) -> dict[str, list[list[int]] | str]:
    """The moves of each bot at the positions, or how it crashed."""
    out, paths = folder / "moves.json", [folder / f"{name}.py" for name in sources]
    for path, source in zip(paths, sources.values(), strict=True):
        path.write_text(source, encoding="utf-8")
    command = [interpreter, str(DRIVER), str(out), str(POSITIONS), *map(str, paths)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert said.returncode == 0, said.stderr
    return dict(zip(sources, json.loads(out.read_text()), strict=True))


if __name__ == "__main__" and sys.argv[1:] == ["expected"]:
    import tempfile

    interpreter = python2()
    assert interpreter is not None, "there is no Python 2 here"
    with tempfile.TemporaryDirectory() as folder:
        expected = moves(interpreter, bots(), Path(folder))
    assert not any(isinstance(answers, str) for answers in expected.values()), expected
    lines = ",\n".join(f'  "{name}": {json.dumps(answers)}' for name, answers in expected.items())
    EXPECTED.write_text(f"{{\n{lines}\n}}\n")
