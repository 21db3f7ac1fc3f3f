"""Makes untrusted text safe for a terminal: names, file names, source lines, output of bots.

A terminal obeys escape sequences: they move the cursor, rewrite earlier lines, set the window's title, or put text into
the clipboard. Bidirectional controls make a line look like another one. `str.isprintable` is False for both, and for
half a surrogate pair, which cannot be printed; file names that are not UTF-8 contain such halves.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import textwrap
from collections.abc import Iterable, Sequence

TEXT_KEPT = 300
PARAGRAPH_KEPT = 4096
"""Maximum number of characters of a paragraph, or of a file name."""
REPLACED = "\N{REPLACEMENT CHARACTER}"
SPACED = dict.fromkeys("\t\n\r", " ")


def printable(value: object, most: int = TEXT_KEPT) -> str:
    """Returns any text, shortened and without characters that control a terminal; it may have several lines."""
    return "".join(char if char.isprintable() or char in "\n\t" else REPLACED for char in str(value)[:most])


def one_line(value: object, most: int = TEXT_KEPT) -> str:
    """Returns the text on one line, so that it cannot imitate our own lines. Tabs and line ends become spaces."""
    return "".join(char if char.isprintable() else SPACED.get(char, REPLACED) for char in str(value)[:most])


def paragraph(value: object, columns: int) -> str:
    """Returns untrusted text, wrapped. Continuation lines are indented, so they cannot imitate our own lines."""
    return textwrap.fill(one_line(value, PARAGRAPH_KEPT), columns, subsequent_indent="  ", break_on_hyphens=False)


def shell_quote(word: object, most: int = PARAGRAPH_KEPT) -> str:
    """Returns a word quoted for a suggested command, so that a shell runs nothing in it."""
    text = one_line(word, most)
    return _windows_quote(text) if os.name == "nt" else shlex.quote(text)


def _windows_quote(text: str) -> str:
    """Returns a word for cmd.exe and PowerShell. Both know double quotes; characters with an effect inside them become
    "?".
    """
    return text if re.fullmatch(r"[\w./\\:#=+-]+", text) else '"' + re.sub('[%$`!"]', "?", text) + '"'


_FORMULA = re.compile(r"(^|[;,|\t\r\n])(?=[ \"']*[=+@\t\r-])")
"""Places where a spreadsheet may start to read a formula: at the start of a cell, or after other cell separators."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")


def csv_text(
    rows: Iterable[Iterable[object]], *, separator: str = ",", ending: str = "\n", verbatim: bool = False
) -> str:
    """Returns the rows as CSV in which no spreadsheet finds a formula, whatever its locale's separator.

    verbatim: keep formulas, in a file that goes back to the program that wrote it.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=ending)
    writer.writerows(rows if verbatim else ([without_formula(value) for value in row] for row in rows))
    return text.getvalue()


def without_formula(value: object) -> object:
    """Returns a cell in which no spreadsheet finds a formula."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return _FORMULA.sub(r"\1'", value)


def counted(number: int, what: str) -> str:
    """Returns a number with its noun: "1 game", "2 games"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def listed(words: Sequence[str], joint: str = "or") -> str:
    """Returns words as a list in a sentence: "A, B or C"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def capitalized(text: str) -> str:
    """Returns the text with its first letter in upper case; the rest is unchanged."""
    return text[:1].upper() + text[1:]


def duration(seconds: float) -> str:
    """Returns a time for people: 40 s, 12 min, 3.5 h, 2.1 days."""
    for size, unit in ((86400.0, "days"), (3600.0, "h")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
