"""How a search is shown: a live table while it runs, its variations at the end, a record for scripts."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from noughts import search
from noughts.analysis.evaluator import evaluations_of
from noughts.commands._evaluations import line_text
from noughts.commands.live import live_screen, live_table, stacked
from noughts.commands.output import table
from noughts.game import State

REFRESH_SECONDS = 0.1
HEADS = ["move", "result", "best play"]


def search_watched(engine: search.Engine, state: State, limits: search.Limits, multi_pv: int) -> search.SearchInfo:
    """Search in a thread of its own and show how it goes, if someone watches.

    Ctrl-C ends the search, and what it found so far counts.
    """
    latest: list[search.SearchInfo] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            started = time.monotonic()
            info = engine.search(state, limits, multi_pv=multi_pv, on_info=latest.append)
            # The lines are those of the last depth that was finished; the effort is that of the whole search.
            latest.append(replace(info, nodes=engine.nodes, seconds=time.monotonic() - started))
        except BaseException as error:  # shown by the thread that waits
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        _show_while(thread, lambda: latest[-1] if latest else None, state)
    except KeyboardInterrupt:
        engine.stop()
        thread.join()
    if failed:
        raise failed[0]
    return latest[-1]


def _show_while(thread: threading.Thread, latest: Callable[[], search.SearchInfo | None], state: State) -> None:
    """Redraw the table on standard error until the thread is done. Silent if piped."""
    if not sys.stderr.isatty():
        while thread.is_alive():
            thread.join(REFRESH_SECONDS)
        return

    with live_screen() as live:
        while thread.is_alive():
            thread.join(REFRESH_SECONDS)
            info = latest()
            if info is not None:
                screen = stacked(_effort(info), live_table(HEADS, _rows(state, info), right=[0, 1]))
                live.update(screen, refresh=True)


def info_text(state: State, info: search.SearchInfo) -> str:
    """The variations as a table, and what they cost, for the end of the output."""
    return f"{table(HEADS, _rows(state, info), right=[0, 1])}\n\n{_effort(info)}"


def effort_data(info: search.SearchInfo) -> dict[str, object]:
    """Returns what a search cost, for scripts."""
    return {
        "depth": info.depth,
        "deepest": info.seldepth,
        "nodes": info.nodes,
        "seconds": round(info.seconds, 4),
        "nodes_per_second": round(info.nodes / max(info.seconds, 1e-9)),
    }


def _rows(state: State, info: search.SearchInfo) -> list[list[str]]:
    return [
        [state.action_to_string(action), found.words, line_text(state, found)]
        for action, found in evaluations_of(state, info).items()
    ]


def _effort(info: search.SearchInfo) -> str:
    speed = info.nodes / max(info.seconds, 1e-9) / 1e6
    depth = "to the end" if info.exact else f"depth {info.depth}, up to {info.seldepth}"
    return f"{depth}; {info.nodes:,} nodes in {info.seconds:.1f} s, {speed:.1f} million a second"
