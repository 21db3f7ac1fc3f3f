"""Reads a source as tokens without running or compiling it. Works for old and broken files, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Once a quote is open, none of these can fail, even at the end of the text: a failing pattern would try every shorter
# text first, and from every quote in it again, in quadratic time.
_LONG = "|".join(
    rf"{quotes}(?:[^\\{quotes[0]}]|\\.|(?!{quotes}).)*?(?:{quotes}|(?P<{name}>\Z))"
    for quotes, name in (("'''", "single"), ('"""', "double"))
)
_SHORT = "|".join(rf"{quote}(?:[^\\\n{quote}]|\\(?:.|\Z))*(?:{quote}|(?=\n)|\Z)" for quote in ("'", '"'))
_TOKEN = re.compile(
    rf"""
      (?P<blank>[ \t\f]+|\\\r?\n|\#[^\n]*)
    | (?P<newline>\r?\n)
    | (?P<string>[bBuUrRfF]{{0,2}}(?:{_LONG}|{_SHORT}))
    | (?P<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)
    | (?P<name>[^\W\d]\w*)
    | (?P<op><>|\.\.\.|<<=|>>=|\*\*=|//=|:=|->|[-+*/%&|^<>=!@]=|//|\*\*|<<|>>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A token. kind: "name", "number", "string", "op", "newline", or "open" for the text from three quotes on
    that never close. at: its offset."""

    kind: str
    text: str
    line: int
    at: int


def tokens(source: str) -> list[Token]:
    """Returns the tokens of a source without blanks and comments. A string in one line that never closes ends with the
    line.
    """
    found, line = [], 1
    for match in _TOKEN.finditer(source):
        kind, text = str(match.lastgroup), match[0]
        if match["single"] is not None or match["double"] is not None:
            kind = "open"
        if kind != "blank":
            found.append(Token(kind, text, line, match.start()))
        line += text.count("\n")
    return found


_NONE = Token("newline", "", 0, 0)


def with_neighbours(found: Sequence[Token]) -> Iterator[tuple[Token, Token, Token]]:
    """Yields each token with the one before and the one after it."""
    padded = [_NONE, *found, _NONE]
    return zip(padded, padded[1:], padded[2:], strict=False)


def never_closed(source: str) -> str | None:
    """Describes brackets or quotes that do not match, as in "'(' of line 7 is never closed"; None if all match."""
    waiting: list[Token] = []
    for token in tokens(source):
        if token.kind == "open":
            return f"the quotes {token.text.lstrip('bBuUrRfF')[:3]} of line {token.line} are never closed"
        if token.kind != "op":
            continue
        if token.text in BRACKETS:
            waiting.append(token)
        elif token.text in BRACKETS.values():
            if not waiting:
                return f"{token.text!r} in line {token.line} closes nothing"
            opened = waiting.pop()
            if BRACKETS[opened.text] != token.text:
                return f"{opened.text!r} of line {opened.line} is closed by {token.text!r} in line {token.line}"
    return f"{waiting[0].text!r} of line {waiting[0].line} is never closed" if waiting else None


MOST_BRACKETS = 200
"""Maximum nesting of brackets that Python itself reads."""
MOST_STEPS = 1000
"""Maximum dots, signs and lambdas in a row (a.b.c, - - 1): more are not written by hand, and slow to parse."""


def too_deep(source: str) -> str | None:
    """Returns a message with the line if the code is nested too deeply for an interpreter; else None."""
    brackets = steps = 0
    for token in tokens(source):
        if token.kind == "newline" or token.text in (",", ";", "="):
            steps = 0
        elif token.text in (".", "-", "+", "~", "lambda", "not"):
            steps += 1
        elif token.text in BRACKETS:
            brackets += 1
        elif token.text in BRACKETS.values():
            brackets -= 1
        if brackets > MOST_BRACKETS or steps > MOST_STEPS:
            return f"line {token.line}: the code is nested more deeply than Python can read"
    return None
