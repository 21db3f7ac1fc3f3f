"""Docstrings of the reference as Markdown: examples become code, aligned columns and named fields become lists.

In the source they are laid out with spaces, which Markdown would run together into one paragraph.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_COLUMNS = re.compile(r"([\w./,:-]+(?: [\w./,-]+)*) {2,}(\S.*)")
_SUBSCRIPT = re.compile(r"(?<![`\w])\w+(?:\[[\w\", +]+\])+(?!`)")
DONE = "<!-- -->"
"""Marks a docstring that was turned into Markdown: an object can come by several ways."""


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_kwargs: Any) -> None:
        if obj.docstring and DONE not in obj.docstring.value:
            obj.docstring.value = f"{markdown(obj.docstring.value, _fields(obj))}\n{DONE}"

    def on_package(self, *, pkg: griffe.Module, **_kwargs: Any) -> None:
        self.on_object(obj=pkg)  # the package at the top is no object of anything


def markdown(text: str, fields: set[str]) -> str:
    """A docstring as Markdown. fields: names of the parameters or attributes that it may describe."""
    return "\n\n".join(_paragraph(part, fields) for part in re.split(r"\n\s*\n", text.strip("\n")))


def _fields(obj: griffe.Object) -> set[str]:
    names = {parameter.name for parameter in getattr(obj, "parameters", None) or []}
    return names | set(obj.members) if obj.is_class or obj.is_function else names


def _paragraph(text: str, fields: set[str]) -> str:
    lines = text.split("\n")
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{text}\n```"
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    lines = [line[indent:] for line in lines]
    rows = [_COLUMNS.fullmatch(line) for line in lines]
    if rows[0] and all(row or line.startswith("  ") for row, line in zip(rows, lines, strict=True)) and len(lines) > 1:
        return _definitions(lines)
    if indent >= 4 or re.match(r"from \S+ import ", lines[0]):
        return "\n".join(["```python", *lines, "```"])
    named = "|".join(sorted(map(re.escape, fields), key=len, reverse=True))
    parts = re.split(rf"(?:^|(?<=[.)] ))((?:{named})(?:, (?:{named}))*): ", " ".join(lines)) if fields else [text]
    if len(parts) < 3:
        return _quoted("\n".join(lines))
    items = [f"- {_names(name)}: {_quoted(what.strip())}" for name, what in zip(parts[1::2], parts[2::2], strict=True)]
    return "\n".join([*([_quoted(parts[0].strip()), ""] if parts[0].strip() else []), *items])


def _definitions(lines: list[str]) -> str:
    """Columns as a list of terms; a line that is indented goes on with the term above."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith("  "):
            found[-1][1] += f" {line.strip()}"
        else:
            row = _COLUMNS.fullmatch(line)
            assert row is not None
            found.append([row[1], row[2]])
    return "\n\n".join(f"{_names(term)}\n:   {_quoted(re.sub(r' {2,}', ': ', what))}" for term, what in found)


def _names(text: str) -> str:
    return ", ".join(f"`{name}`" for name in text.split(", "))


def _quoted(text: str) -> str:
    """Subscripts such as info["illegal"] as code: to Markdown they are links."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else _SUBSCRIPT.sub(r"`\g<0>`", piece) for piece in pieces)
