"""Text that is not ours, made fit for a terminal: names, file names, source lines, what a file or a bot says.

A terminal obeys escape sequences: they move the cursor, rewrite what stands above, set the window's title, or put text
into the clipboard. Marks that turn the direction of writing make a line read as another one. Neither is a printable
character to Python; nor is half of a surrogate pair, as in file names that are not UTF-8, which could not be printed.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable

TEXT_KEPT = 300
PARAGRAPH_KEPT = 4096
"""Characters of a whole paragraph, or of the name of a file."""
REPLACED = "\N{REPLACEMENT CHARACTER}"
SPACED = dict.fromkeys("\t\n\r", " ")


def printable(said: object, most: int = TEXT_KEPT) -> str:
    """Any text, cut, and without characters that would command a terminal; it may have several lines."""
    return "".join(char if char.isprintable() or char in "\n\t" else REPLACED for char in str(said)[:most])


def one_line(said: object, most: int = TEXT_KEPT) -> str:
    """Returns the same on one line, so that it cannot pass for a line of ours. Tabs and ends of lines are spaces."""
    return "".join(char if char.isprintable() else SPACED.get(char, REPLACED) for char in str(said)[:most])


def paragraph(said: object, columns: int) -> str:
    """Text with words of others in it, wrapped. Its further lines are indented: none can pass for a line of ours."""
    import textwrap

    return textwrap.fill(one_line(said, PARAGRAPH_KEPT), columns, subsequent_indent="  ", break_on_hyphens=False)


def shell_quote(word: object, most: int = PARAGRAPH_KEPT) -> str:
    """Returns a word of a command that we suggest, in which no shell finds anything to run."""
    import shlex

    text = one_line(word, most)
    return _windows_quote(text) if os.name == "nt" else shlex.quote(text)


def _windows_quote(text: str) -> str:
    """Returns a word for cmd.exe and PowerShell, which both know double quotes. Characters that they act on are "?"."""
    return text if re.fullmatch(r"[\w./\\:#=+-]+", text) else '"' + re.sub('[%$`!"]', "?", text) + '"'


_FORMULA = re.compile(r"(^|[;,|\t\r\n])(?=[ \"']*[=+@\t\r-])")
"""Where a spreadsheet may begin to read a formula: a cell, or a part of one where cells end at other characters."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Returns the rows as CSV in which no spreadsheet finds a formula, whatever separates cells in its locale."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return _FORMULA.sub(r"\1'", value)


def counted(number: int, what: str) -> str:
    """A number of things: "1 game", "2 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
