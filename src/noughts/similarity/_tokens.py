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

from py2bots.reading import BRACKETS, tokens

KEYWORDS = (
    "and as assert async await break class continue def del elif else except exec False finally for from global if "
    "import in is lambda None nonlocal not or pass print raise return True try while with yield"
).split()
OPERATORS = (
    "<<= >>= **= //= ... == != <= >= <> -> += -= *= /= %= &= |= ^= @= := << >> ** // "
    "+ - * / % & | ^ ~ < > ( ) [ ] { } , : . ; = @ ` ! ? $ \\"
).split()
NAME, NUMBER, TEXT, OTHER = range(4)
KINDS = {"name": NAME, "number": NUMBER, "string": TEXT, "open": TEXT, "op": OTHER}
_NUMBER_OF = {word: number for number, word in enumerate([*KEYWORDS, *OPERATORS], 4)}
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
    for token in tokens(text):
        span = token.at, token.at + len(token.text)
        kind = KINDS.get(token.kind)
        if kind is None or (kind == TEXT and depth == 0 and _alone(text, *span)):
            continue
        if kind == OTHER:
            depth = max(0, depth + (token.text in BRACKETS) - (token.text in BRACKETS.values()))
        kinds.append(_NUMBER_OF.get(token.text, kind))
        spans.append(span)
    places = np.array(spans, np.int64).reshape(-1, 2)
    return Tokens(text, np.array(kinds, np.uint8), places[:, 0], places[:, 1])


def _alone(text: str, start: int, end: int) -> bool:
    """Returns whether a string is a statement by itself, without effect."""
    return _LINE_START.search(text, max(0, start - 200), start) is not None and _LINE_END.match(text, end) is not None
