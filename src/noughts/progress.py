"""Shows the progress of longer work: a bar in a terminal or a notebook, lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Protocol

from noughts.printable import duration, one_line

NOTEBOOK_SECONDS = 0.2
"""Seconds between two updates of the bar."""
LINE_SECONDS = 15.0
"""Seconds between two lines in a log, and before the first one."""

Tick = Callable[[float], None]
"""Called with the share of the work done."""


class LabelledTick(Protocol):
    """Called with the share of the work done, and the new label if it changed."""

    def __call__(self, share: float, what: str | None = None, /) -> None: ...


@contextmanager
def progress(what: str, visible: bool = True) -> Iterator[LabelledTick]:
    """Shows a progress bar on standard error or in a notebook; yields a function to call with the share of the work
    done.

    If standard error is piped, longer work prints a line now and then. Silent if `visible` is False.
    """
    if visible and _is_notebook():
        yield from _in_notebook(what)
        return
    if not visible:
        yield lambda _share, _what=None: None
        return
    if not sys.stderr.isatty():
        yield _line_printer(what)
        return
    from rich import console, progress

    label = progress.TextColumn("{task.description}", markup=False)
    columns = (label, progress.BarColumn(), progress.TaskProgressColumn(), progress.TimeRemainingColumn())
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(one_line(what), total=1.0)
        yield lambda share, what=None: bar.update(task, completed=share, description=what and one_line(what))


def _line_printer(what: str) -> LabelledTick:
    """Returns a function that prints the progress as a line, at most every LINE_SECONDS."""
    printed_at = time.monotonic()
    first: tuple[float, float] | None = None
    """The first share and its time: what came before it includes compiling and the start of processes."""

    def tick(share: float, now: str | None = None, /) -> None:
        nonlocal what, printed_at, first
        what, clock = now or what, time.monotonic()
        began, since = first = first or (share, clock)
        if clock - printed_at >= LINE_SECONDS:
            printed_at = clock
            left = f", about {duration((clock - since) * (1 - share) / (share - began))} left" if share > began else ""
            print(f"noughts: {one_line(what)}: {share:.0%}{left}", file=sys.stderr, flush=True)

    return tick


def _is_notebook() -> bool:
    """Returns whether this process is a notebook's kernel; having IPython loaded is not enough."""
    ipython = sys.modules.get("IPython")
    return "ipykernel" in sys.modules and ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _in_notebook(what: str) -> Iterator[LabelledTick]:
    """Shows an HTML bar, which disappears when the work is done."""
    display = import_module("IPython.display")
    shown_at = time.monotonic()

    def bar(share: float) -> object:
        return display.HTML(f'<progress value="{share:.3f}"></progress> {escape(one_line(what))}')

    handle = display.display(bar(0.0), display_id=True)

    def tick(share: float, now: str | None = None, /) -> None:
        nonlocal what, shown_at
        what = now or what
        if time.monotonic() - shown_at > NOTEBOOK_SECONDS:
            shown_at = time.monotonic()
            handle.update(bar(share))

    try:
        yield tick
    finally:
        handle.update(display.HTML(""))
