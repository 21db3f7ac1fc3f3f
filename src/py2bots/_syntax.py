"""Turns grammar that Python 3 cannot read into grammar that it can: print, except, exec, backticks, 0777, tabs.

This can add lines, so `Readable` maps each line to its line in the old source.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from py2bots.reading import never_closed, tokens, too_deep

FIXERS = """
    except exec execfile funcattrs has_key metaclass methodattrs ne nonzero operator paren print raise repr
    sys_exc throw tuple_params types
""".split()
"""Fixers of fissix for the grammar, and some that only rename."""

NEW_KEYWORDS = {"async", "await", "nonlocal"}
TABS = (8, 4, 2)
"""Columns of a tab: as Python 2 counted them, then as editors do. The first that makes a source readable is used."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_STRING = re.compile(r"([a-zA-Z]*)(.*)", re.DOTALL)
_NUMBER = re.compile(r"\A(?:0+([1-7][0-7]*)[lL]?|(\d+|0[xXbBoO][\da-fA-F]+)[lL])\Z")
_CODING = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.MULTILINE)


class NotPython2(ValueError):  # noqa: N818 - it says what the text is not
    """A text that is not valid Python 2; the message says where and why."""


@dataclass(frozen=True)
class Readable:
    """A source with Python 3's grammar. text: the new source. lines: for each of its lines, the line of the old
    source."""

    text: str
    lines: tuple[int, ...]
    notes: tuple[tuple[int, str], ...]


def readable(source: str, name: str) -> Readable:
    """Returns the source with Python 3's grammar. Raises ValueError if fissix is not installed, NotPython2 if it is not
    Python 2."""
    fissix = _fissix()
    nested = too_deep(source)
    if nested:
        raise NotPython2(f"cannot convert {name}: {nested}")
    tool = _tool()
    tool.fixer_log.clear()
    tool.errors.clear()
    failed: Exception | None = None
    for tab in TABS if "\t" in source else TABS[:1]:
        text = _modern_tokens(_utf8(spaces_for_tabs(source, tab))).rstrip() + "\n"
        try:
            tree = tool.refactor_string(text, name)
        except (fissix.pgen2.parse.ParseError, fissix.pgen2.tokenize.TokenError, IndentationError) as error:
            failed = failed or NotPython2(f"{name} is not valid Python 2: {_why(error, text)}")
            continue
        except KeyError as error:  # of its table of operators
            raise NotPython2(f"{name} is not valid Python 2: Python has no operator {error}") from None
        if tree is not None:
            break
    else:
        raise failed or NotPython2(f"{name} is not valid Python 2")
    if tab != TABS[0]:
        tool.fixer_log.append(f"Line 1: tabs count as {tab} columns: with 8, as in Python 2, the blocks do not line up")
    # Names from the fixer of tuple parameters.
    new = re.sub(r"\bxxx_todo_changeme(\d*)\b", r"argument\1", str(tree))
    return Readable(new, _lines(tree), tuple(_notes(tool.fixer_log)))


def _fissix() -> Any:
    try:
        import fissix.refactor
    except ImportError:
        raise ValueError("converting from Python 2 needs fissix: pip install fissix") from None
    return fissix


@cache
def _tool() -> Any:
    """Returns the refactoring tool, created once: creating it takes longer than converting most bots."""
    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)  # its messages are in our notes
    return _fissix().refactor.RefactoringTool([f"fissix.fixes.fix_{fixer}" for fixer in FIXERS])


def spaces_for_tabs(source: str, tab: int = TABS[0]) -> str:
    """Replaces tabs at the beginning of lines, but not within strings; normalises line ends."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    texts = [token for token in tokens(source) if token.kind == "string" and "\n" in token.text]
    within = {line for token in texts for line in range(token.line + 1, token.line + token.text.count("\n") + 1)}

    def spaced(number: int, line: str) -> str:
        return (
            line if number in within else re.sub(r"^[ \t\f]+", lambda it: it[0].replace("\f", "").expandtabs(tab), line)
        )

    return "\n".join(spaced(number, line) for number, line in enumerate(source.split("\n"), 1))


def _utf8(source: str) -> str:
    """Removes the declared encoding: the copy is written in UTF-8."""
    head, newline, rest = source.partition("\n")
    second, more, body = rest.partition("\n")
    return _CODING.sub(r"\1utf-8", head) + newline + _CODING.sub(r"\1utf-8", second) + more + body


def _modern_tokens(source: str) -> str:
    """Converts tokens: b'' and u'' to plain strings, a backslash before u to a backslash, 0777L to 0o777, `async` to a
    name."""
    found = tokens(source)
    unicode_texts = any(token.text == "unicode_literals" for token in found)
    pieces, at = [], 0
    for token in found:
        new = token.text
        if token.kind == "string":
            new = _plain_text(token.text, unicode_texts)
        elif token.kind == "number":
            new = _NUMBER.sub(lambda number: f"0o{number[1]}" if number[1] else number[2], token.text)
        elif token.kind == "name" and token.text in NEW_KEYWORDS:
            new = f"{token.text}_"
        if new != token.text:
            pieces += [source[at : token.at], new]
            at = token.at + len(token.text)
    return "".join([*pieces, source[at:]])


def _plain_text(text: str, unicode_texts: bool) -> str:
    found = _STRING.fullmatch(text)
    assert found is not None
    prefix, body = found[1].lower(), found[2]
    if "r" in prefix:
        return f"r{body}"
    if "u" in prefix or (unicode_texts and "b" not in prefix):
        return body
    return _ESCAPE.sub(lambda escape: "\\" + escape[0] if escape[1] in "uUN" else escape[0], body)


def _lines(tree: Any) -> tuple[int, ...]:
    lines, old = [0], 1
    for leaf in tree.leaves():
        breaks = leaf.prefix.count("\n")
        lines += [old] * breaks
        old = leaf.lineno or old
        lines[-1] = lines[-1] if lines[-1] and not leaf.lineno else old
        lines += [old + 1 + more for more in range(str(leaf.value).count("\n"))]
    return tuple(max(1, line) for line in lines)


def _notes(messages: list[str]) -> list[tuple[int, str]]:
    """Returns the fixers' messages as (line, text)."""
    notes = []
    for message in messages:
        found = re.match(r"Line (\d+): (?:could not convert: )?(.*)", message, re.DOTALL)
        if found:
            notes.append((int(found[1]), found[2].strip()))
    return notes


def _why(error: Exception, text: str) -> str:
    """Describes the place and cause of a parse error, as far as known."""
    open_one = never_closed(text)
    context = getattr(error, "context", None)
    if context and len(context) == 2:
        line = int(context[1][0])
        code = text.splitlines()[line - 1].strip() if line <= text.count("\n") else ""
        token = str(getattr(error, "value", "")).strip()
        here = f"line {line}: {token!r} is out of place in {code!r}" if token else f"line {line}: {code!r}"
        return f"{here}; {open_one}" if open_one else here
    found = re.search(r"line (\d+)", str(error))
    line_number = getattr(error, "lineno", None) or (found[1] if found else None)
    what = open_one or str(error.args[0] if error.args else error).partition("\n")[0]
    return f"line {line_number}: {what}" if line_number and not open_one else what
