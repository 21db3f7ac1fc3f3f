"""Live screens on standard error, redrawn while something runs and erased at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

BAR_COLUMNS = 60


def live_screen() -> Live:
    """Returns a screen for a `with` statement, which shows what its `update` gets."""
    return Live(console=Console(stderr=True), auto_refresh=False, transient=True)


@contextmanager
def redrawn(draw: Callable[[], RenderableType], per_second: float) -> Iterator[None]:
    """Shows what `draw` returns, again and again from another thread, until the block ends. Silent if piped."""
    if not sys.stderr.isatty():
        yield
        return
    with Live(console=Console(stderr=True), get_renderable=draw, refresh_per_second=per_second, transient=True):
        yield


def stacked(*parts: RenderableType) -> Table:
    """Returns the parts one below the other. Texts, such as those of `output.table`, are shown unchanged."""
    grid = Table.grid()
    for part in parts:
        grid.add_row(Text(part) if isinstance(part, str) else part)
    return grid


def live_bar(done: int, total: int) -> ProgressBar:
    return ProgressBar(total=max(1, total), completed=done, width=BAR_COLUMNS)
