"""A bar for work that takes longer than a moment, in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Protocol

from noughts.printable import one_line

NOTEBOOK_SECONDS = 0.2
"""Between two pictures of the bar."""


class Tick(Protocol):
    """Called with the share of the work that is done, and if it changed, what it is called."""

    def __call__(self, share: float, what: str | None = None, /) -> None: ...


@contextmanager
def progress(what: str, shown: bool = True) -> Iterator[Tick]:
    """A bar on standard error, or in a notebook, while something runs; call what it gives with the share done.

    Silent if standard error is piped, or `shown` is False.
    """
    if shown and _is_notebook():
        yield from _in_notebook(what)
        return
    if not shown or not sys.stderr.isatty():
        yield lambda _share, _what=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(one_line(what), total=1.0)
        yield lambda share, what=None: bar.update(task, completed=share, description=what and one_line(what))


def _is_notebook() -> bool:
    """Whether this process is a notebook's kernel; one that only has IPython loaded is not."""
    ipython = sys.modules.get("IPython")
    return "ipykernel" in sys.modules and ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def _in_notebook(what: str) -> Iterator[Tick]:
    """A bar of HTML, which is gone when the work is done."""
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
