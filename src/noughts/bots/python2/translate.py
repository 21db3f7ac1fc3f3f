"""A Python 3 copy of a Python 2 source, and a list of what a person should look at."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

FIXERS = """
    apply basestring dict except exec execfile filter has_key imports input intern itertools itertools_imports long
    map metaclass methodattrs funcattrs ne next nonzero numliterals operator paren print raise raw_input reduce renames
    repr standarderror sys_exc throw tuple_params types unicode xrange zip
""".split()
"""Those of fissix that change what a program means; those that only change its looks are left out."""

OURS = ["noughts.bots.python2.fix_division", "noughts.bots.python2.fix_cmp"]

TAB = 8
"""Columns of a tab, as Python 2 counted them."""


class NotPython2(ValueError):  # noqa: N818 - it says what the text is not
    """A text that cannot be read as Python 2; the message says where."""


@dataclass(frozen=True)
class Translation:
    """text: the Python 3 source. notes: what a person should look at, with line numbers of the old source."""

    text: str
    notes: tuple[str, ...]


def translate(source: str, name: str) -> Translation:
    """Translate a source. ValueError if fissix is not installed, NotPython2 if the text is no Python 2."""
    try:
        from fissix import refactor
        from fissix.pgen2.parse import ParseError
        from fissix.pgen2.tokenize import TokenError
    except ImportError:
        raise ValueError("converting old bots needs fissix: pip install 'noughts[convert]'") from None
    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)  # what it has to say is in our notes
    tool = refactor.RefactoringTool([*(f"fissix.fixes.fix_{fixer}" for fixer in FIXERS), *OURS])
    text = spaces_for_tabs(source).rstrip() + "\n"
    try:
        tree = tool.refactor_string(text, name)
    except (ParseError, TokenError, IndentationError) as error:
        raise NotPython2(f"{name} is not Python 2 that can be read: {_where(error)}") from None
    if tree is None:
        raise NotPython2(f"{name} is not Python 2 that can be read")
    # What the fixer of tuple parameters calls them.
    new = re.sub(r"\bxxx_todo_changeme(\d*)\b", r"argument\1", str(tree))
    return Translation(new, (*_notes(tool.fixer_log), *_manners(text)))


def spaces_for_tabs(source: str) -> str:
    """Tabs at the beginning of lines become spaces, as Python 2 saw them; line ends become plain."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        re.sub(r"^[ \t\f]+", lambda indent: indent[0].replace("\f", "").expandtabs(TAB), line) for line in lines
    )


def _notes(messages: list[str]) -> list[str]:
    """The fixers' messages, each once: "line 7: ..."."""
    notes: dict[str, None] = {}
    for message in messages:
        found = re.match(r"Line (\d+): (?:could not convert: )?(.*)", message, re.DOTALL)
        said = f"line {found[1]}: {found[2].strip()}" if found else message.strip()
        if said and not said.startswith("### "):
            notes[said] = None
    return list(notes)


_DIFFERENCES = {
    r"\bround\(": "round() rounds halves to the even neighbour in Python 3",
    r"(?:<|>)\s*None\b|\bNone\s*(?:<|>)": "None cannot be compared by < and > in Python 3",
}


def _manners(source: str) -> list[str]:
    """Places where Python 3 does something else with the same text."""
    return [
        f"line {number}: {note}"
        for number, line in enumerate(source.splitlines(), 1)
        for pattern, note in _DIFFERENCES.items()
        if re.search(pattern, line.partition("#")[0])
    ]


def _where(error: Exception) -> str:
    context = getattr(error, "context", None)
    if context and len(context) == 2:
        return f"line {context[1][0]}"
    return str(error).partition("\n")[0]
