"""Edits a text at positions from `ast`; comments and layout stay as the author wrote them.

Every edit belongs to a node, the span [start, end) of bytes. A wrap puts text before and after it; a replacement
replaces a part of it. Parts of a node may have their own edits, and `text_of` returns a part with all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

Text = str | Callable[[], str]
"""The new text, or a function that returns it when all edits are known."""
Span = tuple[int, int]

_CLOSE, _OPEN, _REPLACE = range(3)
"""The order at one place: nodes that end come before nodes that begin."""


@dataclass(frozen=True)
class _Edit:
    place: int
    kind: int
    number: int
    end: int
    owner: Span
    text: Text
    whole: bool = False

    @property
    def order(self) -> tuple[int, int, int]:
        # If two nodes begin at one place, the outer one was recorded first: it opens first and closes last.
        return self.place, self.kind, -self.number if self.kind == _CLOSE else self.number


class Edits:
    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        self._starts = [0]
        for line in self._bytes.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._edits: list[_Edit] = []

    def place(self, line: int, column: int) -> int:
        """Returns the byte offset of a line (from 1) and a column, which `ast` counts in bytes."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.alias) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def wrap(self, node: ast.expr | ast.stmt, before: Text, after: Text = ")") -> None:
        span, number = self.span(node), len(self._edits)
        self._edits.append(_Edit(span[0], _OPEN, number, span[0], span, before))
        self._edits.append(_Edit(span[1], _CLOSE, number, span[1], span, after))

    def replace(self, part: Span, text: Text, owner: ast.expr | ast.stmt | None = None) -> None:
        """Replaces a part with another text; `owner` is the node that contains it, if it is not a node itself."""
        span = part if owner is None else self.span(owner)
        self._edits.append(_Edit(part[0], _REPLACE, len(self._edits), part[1], span, text))

    def rewrite(self, node: ast.expr | ast.stmt, text: Text) -> None:
        """Replaces a node and everything in it with another text."""
        span = self.span(node)
        self._edits.append(_Edit(span[0], _REPLACE, len(self._edits), span[1], span, text, whole=True))

    def original(self, part: Span) -> str:
        return self._bytes[part[0] : part[1]].decode()

    def find(self, wanted: str, start: int, end: int) -> Span:
        """Returns where a token is between two operands, skipping brackets, comments and line ends. Raises ValueError
        if it is missing."""
        sought = wanted.encode()
        while start < end:
            here = self._bytes[start : start + 1]
            if self._bytes.startswith(sought, start):
                return start, start + len(sought)
            if here == b"#":
                start = self._bytes.index(b"\n", start)
            start += 1
        raise ValueError(f"no {wanted!r} there")

    def text_of(self, part: Span) -> str:
        """Returns a part of the text with the edits of all nodes inside it."""
        inside = [e for e in self._edits if part[0] <= e.owner[0] and e.owner[1] <= part[1]]
        return self._with(sorted(inside, key=lambda edit: edit.order), part)

    def result(self) -> str:
        return self._with(sorted(self._edits, key=lambda edit: edit.order), (0, len(self._bytes)))

    def _with(self, edits: list[_Edit], part: Span) -> str:
        pieces, at = [], part[0]
        rewritten = [edit.owner for edit in edits if edit.whole]
        for edit in edits:
            if any(span[0] <= edit.owner[0] and edit.owner[1] <= span[1] and span != edit.owner for span in rewritten):
                continue
            pieces.append(self._bytes[at : edit.place].decode())
            pieces.append(edit.text if isinstance(edit.text, str) else edit.text())
            at = edit.end
        pieces.append(self._bytes[at : part[1]].decode())
        return "".join(pieces)
