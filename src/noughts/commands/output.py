"""What commands share in speaking to a terminal: tables, boards, files and progress. Piped output is plain."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import noughts
from noughts.files import write_whole
from noughts.printable import counted as counted
from noughts.printable import one_line
from noughts.progress import Tick as Tick
from noughts.progress import progress as progress

PIPED_WIDTH = 80
UNSAFE_HELP = "run your own bots where there is no sandbox"
"""Help of `--unsafe`, which more commands than one have."""
CELL_SHOWN = 2000
STDOUT_HANDLE, TAKES_ESCAPES = -11, 4
"""STD_OUTPUT_HANDLE and ENABLE_VIRTUAL_TERMINAL_PROCESSING of the Windows console."""


def width() -> int:
    """Columns to fill: the terminal's, or 80 if the output is piped."""
    return shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if sys.stdout.isatty() else PIPED_WIDTH


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Columns of text under their heads; the columns in `right` are aligned right, the last one is wrapped.

    What stands in them may be anybody's: it is made printable.
    """
    rows = [[one_line(cell, CELL_SHOWN) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads) - 1)]
    indent = sum(widths) + 2 * len(widths)
    last = max(20, width() - indent)
    lines = []
    for row in (heads, *rows):
        cells = [
            cell.rjust(n) if i in right else cell.ljust(n) for i, (cell, n) in enumerate(zip(row, widths, strict=False))
        ]
        tail = textwrap.wrap(row[-1], last) or [""]
        if len(widths) in right:
            tail = [row[-1].rjust(max(len(other[-1]) for other in (heads, *rows)))]
        lines.append("  ".join([*cells, tail[0]]).rstrip())
        lines += [" " * indent + more for more in tail[1:]]
    return "\n".join(lines)


def board(
    state: noughts.State,
    *,
    ascii_only: bool = False,
    labels: Mapping[int, str] | None = None,
    cursor: int | None = None,
) -> str:
    """Draws a position as well as the terminal can; in plain ASCII if the output is piped."""
    terminal = sys.stdout.isatty()
    fine = terminal and not ascii_only and (sys.stdout.encoding or "").lower().startswith("utf")
    colour = terminal and not os.environ.get("NO_COLOR") and _takes_escapes()
    drawn = noughts.draw.text(state.view(), unicode=fine, colour=colour, labels=labels, width=width(), cursor=cursor)
    canvas, _, status = drawn.rpartition("\n\n")
    return f"{canvas}\n\n{textwrap.fill(status, width())}"


def _takes_escapes() -> bool:
    """Returns whether the terminal takes escape sequences. A Windows console must be asked to; an old one refuses."""
    if os.name != "nt":
        return os.environ.get("TERM") != "dumb"
    kernel, mode = getattr(ctypes, "windll").kernel32, ctypes.c_ulong()  # noqa: B009 - only Windows has it
    console = kernel.GetStdHandle(STDOUT_HANDLE)
    return bool(
        kernel.GetConsoleMode(console, ctypes.byref(mode))
        and kernel.SetConsoleMode(console, mode.value | TAKES_ESCAPES)
    )


def print_json(value: object, indent: int | None = 2) -> None:
    """Prints a result for programs: what every `--json` writes."""
    print(json.dumps(value, indent=indent))


def print_result(as_json: bool, data: Callable[[], object], text: Callable[[], str]) -> None:
    """Prints the result of a command: its data for programs, or its text for people."""
    if as_json:
        print_json(data())
    else:
        print(text())


def write_file(path: str, content: str | bytes) -> None:
    """Writes a whole file or nothing: what was there before stays until the new content is safely on the disk."""
    data = content.encode(errors="replace") if isinstance(content, str) else content
    if not path:
        raise ValueError("the name of the file to write is empty")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device is written to, not replaced
        Path(path).write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    try:
        write_whole(target, data)
    except FileNotFoundError:
        raise ValueError(f"cannot write {path!r}: there is no folder {str(target.parent)!r}") from None
