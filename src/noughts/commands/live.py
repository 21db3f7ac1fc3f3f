"""Live screens on standard error, redrawn while something runs and erased at the end."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

BAR_COLUMNS = 60


def live_screen(draw: Callable[[], RenderableType] | None = None, per_second: float = 4) -> Live:
    """Returns a screen for a `with` statement. The screen calls `draw` for its contents, or waits for `update`."""
    return Live(
        console=Console(stderr=True),
        get_renderable=draw,
        auto_refresh=draw is not None,
        refresh_per_second=per_second,
        transient=True,
    )


def stacked(*parts: RenderableType) -> Table:
    """Returns the parts one below the other. Texts, such as those of `output.table`, are shown unchanged."""
    grid = Table.grid()
    for part in parts:
        grid.add_row(Text(part) if isinstance(part, str) else part)
    return grid


def live_bar(done: int, total: int) -> ProgressBar:
    return ProgressBar(total=max(1, total), completed=done, width=BAR_COLUMNS)
