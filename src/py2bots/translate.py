"""Translates a Python 2 source to an equivalent Python 3 source, with notes for the user."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import Any

from py2bots._calls import Calls
from py2bots._evidence import which_python
from py2bots._operators import Operators
from py2bots._program import Program
from py2bots._scopes import Scopes
from py2bots._syntax import NotPython2, readable, spaces_for_tabs
from py2bots.prelude import prelude

LINES_SHOWN = 12
"""Maximum line numbers in one note."""
TABS_NOTE = "only the tabs were converted, to {} columns each; the rest is Python 3"


@dataclass(frozen=True)
class Translation:
    """Translated source code. text: Python 3. notes: for the user, with line numbers of the old source.

    converted: False if the text is unchanged. version, why: the evidence, as in a `Verdict`.
    """

    text: str
    notes: tuple[str, ...] = ()
    converted: bool = False
    version: int | None = None
    why: str = ""


def translate(source: str, name: str, *, as_python2: bool = False) -> Translation:
    """Translates a source if the evidence says that it is Python 2, or if `as_python2`.

    Raises ValueError if fissix is not installed, NotPython2 if the text is invalid.
    """
    verdict = which_python(source)
    facts: dict[str, Any] = {"version": verdict.version, "why": verdict.why}
    if verdict.version != 2 and not as_python2:
        if verdict.tab:
            return Translation(spaces_for_tabs(source, verdict.tab), (TABS_NOTE.format(verdict.tab),), True, **facts)
        if verdict.error:
            raise NotPython2(f"{name} is Python 3 ({verdict.why}) with an error: {verdict.error}; fix that first")
        return Translation(source, **facts)
    try:
        return replace(_translated(source, name), **facts)
    except NotPython2 as error:
        if not verdict.error or as_python2:
            raise
        raise NotPython2(
            f"{name} is neither Python 3 ({verdict.error}) nor Python 2: {str(error).partition(': ')[2]}"
        ) from None
    except (RecursionError, MemoryError):
        raise NotPython2(f"cannot convert {name}: something in it is nested too deeply") from None


def _translated(source: str, name: str) -> Translation:
    old = readable(source, name)
    notes = list(old.notes)

    def line_of(line: int) -> int:
        return old.lines[min(line, len(old.lines)) - 1]

    try:
        program = Program(old.text)
    except SyntaxError as error:
        raise NotPython2(f"cannot convert {name}: line {line_of(error.lineno or 1)}: {error.msg}") from None
    rewriters = (Operators(program), Calls(program), Scopes(program))
    for node in program.nodes:
        for rewriter in rewriters:
            rewriter.visit(node)
    text = _with_prelude(program.edits.result(), prelude(program.needed))
    notes += [(line_of(line), note) for line, note in program.notes]
    notes += _left_over(text, name)
    return Translation(text, tuple(_note_texts(notes)), converted=True)


def _with_prelude(text: str, block: str) -> str:
    """Puts the block before the first statement that is not a docstring or an import from the future."""
    if not block:
        return text
    at = 0
    for node in ast.parse(text).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not docstring and not future:
            first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])
            break
        at = node.end_lineno or at
    else:
        first = at + 1
    lines = text.split("\n")
    if not at:  # comments at the top of the file stay there
        while at < first - 1 and re.match(r"\s*(#|$)", lines[at]):
            at += 1
    return "\n".join([*lines[:at], block, *lines[at:]])


def _left_over(text: str, name: str) -> list[tuple[int, str]]:
    """Returns errors if the copy is not valid Python 3. Compiles it without running it."""
    try:
        compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [(0, f"the copy is not valid Python 3 yet, line {error.lineno}: {error.msg}")]
    return []


def _note_texts(notes: list[tuple[int, str]]) -> list[str]:
    """Returns each note once, with all its lines, in the order of the first line: "lines 4, 9: ..."."""
    lines: dict[str, list[int]] = {}
    for line, text in sorted(notes):
        if line not in lines.setdefault(text, []):
            lines[text].append(line)
    texts = []
    for text, found in lines.items():
        numbers = ", ".join(map(str, found[:LINES_SHOWN]))
        more = f" and {len(found) - LINES_SHOWN} more" if len(found) > LINES_SHOWN else ""
        where = f"line {numbers}: " if len(found) == 1 else f"lines {numbers}{more}: "
        texts.append(text if found == [0] else where + text)
    return texts
