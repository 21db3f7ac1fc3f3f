"""Timing in turns, medians, and one way to print a ratio, shared by the benchmarks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

REPEATS = 7


def rates(**measured: Callable[[], int]) -> dict[str, float]:
    """Returns the rate of each function per second of processor time. Each call returns the amount of work it did.

    The functions take turns, so that noise affects all of them; the result is the median over the turns.
    """
    seen: dict[str, list[float]] = {name: [] for name in measured}
    for function in measured.values():
        function()
    for _ in range(REPEATS):
        for name, function in measured.items():
            started = time.process_time()
            done = function()
            seen[name].append(done / (time.process_time() - started))
    return {name: statistics.median(values) for name, values in seen.items()}


def report(what: str, ours: float, theirs: float | None = None, rival: str = "", unit: str = "/s") -> None:
    """Returns a line with our figure and, if there is one, the rival's with the ratio."""
    line = f"{what:<28} {human(ours):>9}{unit}"
    if theirs is not None:
        line += f"   {rival:<34} {human(theirs):>9}{unit}   ratio {ours / theirs:.2f}"
    print(line, flush=True)


def human(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.2f} {letter}"
    return f"{number:.3g} "
