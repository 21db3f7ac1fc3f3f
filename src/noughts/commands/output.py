"""Prints the results of commands: tables, boards, JSON, files. Piped output is plain text."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import noughts
from noughts.files import write_whole
from noughts.printable import one_line, paragraph

WIDTH = 80
"""Columns of piped output, and of text on a wider terminal: longer lines are hard to read."""
CELL_SHOWN = 2000
LAST_COLUMN = 24
"""Columns that a table leaves for its last column, if others can be wrapped."""
STDOUT_HANDLE, TAKES_ESCAPES = -11, 4
"""Constants of the Windows console."""


def is_terminal() -> bool:
    """Returns whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def width() -> int:
    """Returns the number of columns to fill: the terminal's, or 80 if the output is piped."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Returns a table with aligned columns: those in `right` to the right; the last one is wrapped. If LAST_COLUMN is
    not left for it, the widest of the others that are aligned to the left is wrapped too, between words.

    Cells may contain untrusted text: it is made printable.
    """
    rows = [list(heads), *([one_line(cell, CELL_SHOWN) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    *others, last = range(len(heads))
    if last not in right:
        rest = width() - sum(widths[i] + 2 for i in others)
        widest = max((i for i in others if i not in right), key=widths.__getitem__, default=None)
        if widest is not None and rest < min(LAST_COLUMN, widths[last]):
            word = max(len(word) for row in rows for word in row[widest].split() or [""])
            goal = max(word, widths[widest] + rest - LAST_COLUMN)
            narrowed = max(len(line) for row in rows for line in _wrapped(row[widest], goal))
            rest += widths[widest] - narrowed
            widths[widest] = narrowed
        widths[last] = max(20, rest)
    lines = []
    for row in rows:
        cells = [
            [cell] if i in right else _wrapped(cell, n) for i, (cell, n) in enumerate(zip(row, widths, strict=True))
        ]
        for line in zip_longest(*cells, fillvalue=""):
            aligned = (
                cell.rjust(n) if i in right else cell.ljust(n)
                for i, (cell, n) in enumerate(zip(line, widths, strict=True))
            )
            lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def _wrapped(cell: str, columns: int) -> list[str]:
    return textwrap.wrap(cell, columns, break_on_hyphens=False) if len(cell) > columns else [cell]


def board(
    state: noughts.State,
    *,
    ascii_only: bool = False,
    labels: Mapping[int, str] | None = None,
    cursor: int | None = None,
) -> str:
    """Returns a drawing of a position, as well as the terminal can show it; in plain ASCII if the output is piped."""
    terminal = sys.stdout.isatty()
    fine = terminal and not ascii_only and (sys.stdout.encoding or "").lower().startswith("utf")
    colour = terminal and not os.environ.get("NO_COLOR") and _takes_escapes()
    drawn = noughts.draw.text(state.view(), unicode=fine, colour=colour, labels=labels, width=width(), cursor=cursor)
    canvas, _, status = drawn.rpartition("\n\n")
    return f"{canvas}\n\n{textwrap.fill(status, width())}"


def _takes_escapes() -> bool:
    """Returns whether the terminal takes escape sequences. A Windows console must be switched to them; old ones
    refuse.
    """
    if os.name != "nt":
        return os.environ.get("TERM") != "dumb"
    import ctypes  # noqa: PLC0415 - half a megabyte that only Windows needs

    kernel, mode = getattr(ctypes, "windll").kernel32, ctypes.c_ulong()  # noqa: B009 - only Windows has it
    console = kernel.GetStdHandle(STDOUT_HANDLE)
    return bool(
        kernel.GetConsoleMode(console, ctypes.byref(mode))
        and kernel.SetConsoleMode(console, mode.value | TAKES_ESCAPES)
    )


@dataclass(frozen=True)
class Report:
    """A command's result: data, which `--json` prints, and a text for people. notes: printed below, on standard
    error.
    """

    data: object
    text: str
    exit_code: int = 0
    notes: Sequence[str] = ()


def print_report(report: Report, *, as_json: bool) -> int:
    """Prints a command's result and returns its exit code."""
    if as_json or report.text:
        print(json.dumps(report.data, indent=2) if as_json else report.text, flush=True)
    for text in report.notes:
        note(text)
    return report.exit_code


def note(text: str, *, interrupted: bool = False) -> None:
    """Prints a line on standard error: progress, or a remark on the result.

    interrupted: by Ctrl-C, which the terminal has echoed on the current line.
    """
    start = "\n" if interrupted else ""
    print(f"{start}noughts: {text}", file=sys.stderr, flush=True)


def check_text(words: Mapping[str, Any]) -> str:
    """Returns the result of a bot's check, formatted for a terminal. words: a `CheckWords` as plain data."""
    columns = width()
    lines = [table(["what", "found"], [[str(cell) for cell in row] for row in words["rows"]])]
    for finding in words["findings"]:
        lines += ["", paragraph(finding["text"], columns)]
        if finding["code"] is not None:
            lines.append(f"    {finding['line']} | {one_line(finding['code'], columns - 12)}")
        for trace in str(finding["detail"]).splitlines():
            parts = textwrap.wrap(one_line(trace, CELL_SHOWN), columns - 6, drop_whitespace=False)
            lines += [f"    | {part}" for part in parts]
    for text in words["notes"]:
        lines += ["", textwrap.fill(one_line(text, CELL_SHOWN), columns)]
    return "\n".join(lines)


def write_file(path: str, content: str | bytes) -> None:
    """Writes a whole file or nothing: the old content stays until the new one is safely on the disk."""
    data = content.encode(errors="replace") if isinstance(content, str) else content
    if not path:
        raise ValueError("the file name is empty")
    if os.path.exists(path) and not os.path.isfile(path):  # write to a pipe or device instead of replacing it
        Path(path).write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    try:
        write_whole(target, data)
    except FileNotFoundError:
        raise ValueError(f"cannot write {path!r}: the folder {str(target.parent)!r} does not exist") from None
