"""Converts the text of a bot to numbers that do not change with names, layout or comments.

All names are the same token, so are all numbers and all strings; keywords and operators are themselves. Comments,
layout and bare strings (docstrings) are not tokens. Any text is read, Python or not, without failing: unknown
characters are tokens of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

KEYWORDS = (
    "and as assert async await break class continue def del elif else except exec False finally for from global if "
    "import in is lambda None nonlocal not or pass print raise return True try while with yield"
).split()
OPERATORS = (
    "<<= >>= **= //= ... == != <= >= <> -> += -= *= /= %= &= |= ^= @= := << >> ** // "
    "+ - * / % & | ^ ~ < > ( ) [ ] { } , : . ; = @ ` ! ? $ \\"
).split()
NAME, NUMBER, TEXT, OTHER = range(4)
_NUMBER_OF = {word: number for number, word in enumerate([*KEYWORDS, *OPERATORS], 4)}

# Once a quote is open, none of these can fail, even at the end of the text: a failing pattern would try every shorter
# text first, and from every quote in it again, in quadratic time.
_QUOTED = (
    "|".join(
        rf"(?:{quote})(?:[^\\{no}]|\\.|(?!{quote})[\s\S])*?(?:{quote}|\Z)" for quote, no in (('"""', '"'), ("'''", "'"))
    )
    + "|"
    + "|".join(rf"{quote}(?:[^\\\n{quote}]|\\(?:[\s\S]|\Z))*(?:{quote}|(?=\n)|\Z)" for quote in ('"', "'"))
)
_TOKEN = re.compile(
    r"(?P<skip>#[^\n]*|[ \t\f\r\n]+|\\\r?\n)"
    rf"|(?P<text>[bBrRuUfF]{{0,2}}(?:{_QUOTED}))"
    r"|(?P<number>\d[\w.]*|\.\d[\w.]*)"
    r"|(?P<word>[^\W\d]\w*)"
    rf"|(?P<operator>{'|'.join(re.escape(each) for each in OPERATORS)})"
    r"|(?P<other>[\s\S])"
)
_LINE_START = re.compile(r"(?:^|\n)[ \t\f]*\Z")
_LINE_END = re.compile(r"[ \t\f]*(?:#[^\n]*)?(?:\r?\n|\Z|;)")


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text. kinds: uint8[n], a number for each token. starts, ends: int64[n], where each is in the
    text."""

    text: str
    kinds: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @property
    def words(self) -> list[str]:
        """Returns the tokens as written."""
        return [self.text[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def lines(self, first: int, last: int) -> tuple[int, int]:
        """Returns the lines, from 1, of the tokens `first` to `last`, both included."""
        breaks = self._breaks
        return 1 + bisect_right(breaks, int(self.starts[first])), 1 + bisect_right(breaks, int(self.ends[last]) - 1)

    @cached_property
    def _breaks(self) -> list[int]:
        return [found.end() for found in re.finditer("\n", self.text)]


def tokens_of(text: str) -> Tokens:
    kinds: list[int] = []
    spans: list[tuple[int, int]] = []
    depth = 0
    for found in _TOKEN.finditer(text):
        sort = found.lastgroup
        if sort == "skip":
            continue
        token = found.group()
        if sort == "text" and depth == 0 and _alone(text, *found.span()):
            continue
        if sort == "operator":
            depth = max(0, depth + (token in "([{") - (token in ")]}"))
        known = {"text": TEXT, "number": NUMBER, "other": OTHER}.get(str(sort))
        kinds.append(_NUMBER_OF.get(token, NAME) if known is None else known)
        spans.append(found.span())
    places = np.array(spans, np.int64).reshape(-1, 2)
    return Tokens(text, np.array(kinds, np.uint8), places[:, 0], places[:, 1])


def _alone(text: str, start: int, end: int) -> bool:
    """Returns whether a string is a statement by itself, without effect."""
    return _LINE_START.search(text, max(0, start - 200), start) is not None and _LINE_END.match(text, end) is not None
