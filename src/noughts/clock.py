"""Measures the time that a built-in player or player object has for one move. Bots are charged by `sandbox`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

thread_clock_ns: Callable[[], int] = time.perf_counter_ns if sys.platform == "win32" else time.thread_time_ns
"""The processor time of this thread. Windows counts it in ticks of 15.6 ms, too coarse to measure speed."""


@dataclass
class Clock:
    """The clock of one move; it starts when created. seconds: for this move, None without a limit.

    >>> import noughts
    >>> noughts.Clock().remaining(), 4 < noughts.Clock(5.0).remaining() <= 5
    (inf, True)
    """

    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Returns the seconds since the move was requested."""
        return time.monotonic() - self.started

    def remaining(self) -> float:
        """Returns the seconds left, never below 0; infinite without a limit."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.elapsed())
