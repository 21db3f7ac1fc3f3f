"""Clocks that run fast, for a quick check: a bot that thinks until its time is up is done in a fraction of it.

Everything that tells the time or waits is scaled alike: the module `time`, and the alarms of `signal`. The referee's
own clock is not, so no bot is late for this.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


def run_at(speed: float) -> None:
    """From now on all clocks of this process run so many times as fast."""
    for name in CLOCKS:
        setattr(time, name, _fast(getattr(time, name), speed))
        setattr(time, f"{name}_ns", _fast_ns(getattr(time, f"{name}_ns"), speed))
    time.sleep = _slower(time.sleep, speed, 0)
    set_timer = signal.setitimer
    signal.setitimer = _slower(set_timer, speed, 1, 2)

    def alarm(seconds: int, /) -> int:
        return int(set_timer(signal.ITIMER_REAL, seconds / speed)[0] * speed + 0.999)

    signal.alarm = alarm


def _fast(clock: Callable[[], float], speed: float) -> Callable[[], float]:
    start = clock()
    return lambda: start + (clock() - start) * speed


def _fast_ns(clock: Callable[[], int], speed: float) -> Callable[[], int]:
    start = clock()
    return lambda: start + int((clock() - start) * speed)


def _slower(function: Callable[..., Any], speed: float, *times: int) -> Callable[..., Any]:
    """The same function with the arguments at these places divided."""

    def scaled(*args: Any) -> Any:
        return function(*[arg / speed if place in times else arg for place, arg in enumerate(args)])

    return scaled
