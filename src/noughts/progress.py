"""A bar for work that takes longer than a moment, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from noughts.printable import one_line


class Tick(Protocol):
    """Called with the share of the work that is done, and if it changed, what it is called."""

    def __call__(self, share: float, what: str | None = None, /) -> None: ...


@contextmanager
def progress(what: str, shown: bool = True) -> Iterator[Tick]:
    """A bar on standard error, or in a notebook, while something runs; call what it gives with the share done.

    Silent if standard error is piped, or `shown` is False.
    """
    notebook = "ipykernel" in sys.modules
    if not shown or not (notebook or sys.stderr.isatty()):
        yield lambda _share, _what=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=not notebook), transient=True) as bar:
        task = bar.add_task(one_line(what), total=1.0)
        yield lambda share, what=None: bar.update(task, completed=share, description=what and one_line(what))
