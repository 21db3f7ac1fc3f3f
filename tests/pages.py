"""The pages of the docs: where they are, what they show, and the one way in which the tests run their programs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def blocks(page, language):
    """The code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def run_program(code, capsys):
    """Runs a program of the docs and returns what it prints, which must be what its comments say.

    `print(...)  # expected: why` promises a line; `# the board` promises nothing that could be compared.
    """
    exec(compile(code, "docs", "exec"), {"__name__": "docs"})
    text = capsys.readouterr().out
    printed = text.splitlines()
    for expected in re.findall(r"^print\([^#\n]*\) +# (.*)$", code, re.MULTILINE):
        assert expected in printed or expected.split(": ")[0] in printed or expected == "the board", expected
    return text
