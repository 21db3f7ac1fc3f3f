"""Timing in turns, medians, and one way to print a ratio, shared by the benchmarks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

REPEATS = 7


def rates(**measured: Callable[[], int]) -> dict[str, float]:
    """Things a second of processor time by each function, which returns how many it did.

    They take turns, so that a noisy moment of the machine hits all of them; the median of the turns counts.
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
    """One line: our figure, and the rival's with the ratio if there is one."""
    line = f"{what:<28} {human(ours):>9}{unit}"
    if theirs is not None:
        line += f"   {rival:<34} {human(theirs):>9}{unit}   ratio {ours / theirs:.2f}"
    print(line, flush=True)


def human(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.2f} {letter}"
    return f"{number:.3g} "
