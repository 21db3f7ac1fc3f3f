"""How a search is shown: a live table while it runs, a report at the end, a record for scripts."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.search.engine import Limits, Line, Report, Searcher

MOVES_SHOWN = 10
"""Of each line; what comes later is seldom more than a guess."""
REFRESH_SECONDS = 0.1


def search_watched(searcher: Searcher, state: State, limits: Limits, lines: int) -> Report:
    """Search in a thread of its own and show how it goes, if someone watches.

    Ctrl-C ends the search, and what it found so far counts.
    """
    latest: list[Report] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            latest.append(searcher.search(state, limits, lines=lines, report=latest.append))
        except BaseException as error:  # shown by the thread that waits
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        _show_while(thread, lambda: latest[-1] if latest else None, state)
    except KeyboardInterrupt:
        searcher.stop()
        thread.join()
    if failed:
        raise failed[0]
    return latest[-1]


def _show_while(thread: threading.Thread, latest: Callable[[], Report | None], state: State) -> None:
    """Redraw the table on standard error until the thread is done. Silent if piped."""
    if not sys.stderr.isatty():
        while thread.is_alive():
            thread.join(REFRESH_SECONDS)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        while thread.is_alive():
            thread.join(REFRESH_SECONDS)
            report = latest()
            if report is not None:
                live.update(_live_table(state, report), refresh=True)


def _live_table(state: State, report: Report) -> Any:
    from rich.console import Group
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("move", justify="right", no_wrap=True)
    table.add_column("result", justify="right", no_wrap=True)
    table.add_column("best play", no_wrap=True, overflow="ellipsis")
    for line in report.lines:
        table.add_row(state.action_to_string(line.action), result_text(line), _play_text(state, line))
    return Group(_effort(report), table)


def report_text(state: State, report: Report) -> str:
    """The lines as a table, and what they cost, for the end of the output."""
    from noughts.commands.output import table

    rows = [[state.action_to_string(line.action), result_text(line), _play_text(state, line)] for line in report.lines]
    return f"{table(['move', 'result', 'best play'], rows, right=[0, 1])}\n\n{_effort(report)}"


def record(report: Report, state: State) -> dict[str, object]:
    """A report for scripts."""
    from noughts.search.kernels.layout import CERTAIN_SCORE

    return {
        "depth": report.depth,
        "deepest": report.deepest,
        "nodes": report.nodes,
        "seconds": round(report.seconds, 4),
        "nodes_per_second": round(report.nodes / max(report.seconds, 1e-9)),
        "exact": report.exact,
        "lines": [
            {
                "move": state.action_to_string(line.action),
                "action": line.action,
                "expected": float(line.proven) if line.proven else round(line.score / CERTAIN_SCORE, 5),
                "proven": line.proven,
                "distance": line.distance if line.proven else None,
                "line": [state.action_to_string(action) for action in line.moves],
            }
            for line in report.lines
        ],
    }


def result_text(line: Line) -> str:
    """What a line comes to for the player to move: "wins in 7", or the expected result from -1 to 1."""
    from noughts.commands.verdicts import words
    from noughts.search.kernels.layout import CERTAIN_SCORE

    return words(line.proven, line.distance) if line.proven else f"{line.score / CERTAIN_SCORE:+.2f}"


def _play_text(state: State, line: Line) -> str:
    shown = [state.action_to_string(action) for action in line.moves[:MOVES_SHOWN]]
    return " ".join(shown) + (" ..." if len(line.moves) > MOVES_SHOWN else "")


def _effort(report: Report) -> str:
    speed = report.nodes / max(report.seconds, 1e-9) / 1e6
    depth = "to the end" if report.exact else f"depth {report.depth}, up to {report.deepest}"
    return f"{depth}; {report.nodes:,} nodes in {report.seconds:.1f} s, {speed:.1f} million a second"
