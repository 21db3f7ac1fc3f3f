"""Speeds up clocks for a quick check: a bot that thinks until its time is up finishes in a fraction of it.

Everything that shows the time or waits is scaled alike: the module `time`, and the alarms of `signal`. The referee's
own clock is not, so no bot becomes late.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


class ScaledClocks:
    """Replaces the clocks of this process before the bot sees them; they run at the usual speed until `run_at`."""

    def __init__(self) -> None:
        self._speed = 1.0
        self._real = {name + end: getattr(time, name + end) for name in CLOCKS for end in ("", "_ns")}
        self._since = {name: (clock(), clock()) for name, clock in self._real.items()}
        """The real time of each clock when the speed last changed, and the time that the bot saw then."""
        for name in self._real:
            setattr(time, name, self._clock(name))
        time.sleep = self._slower(time.sleep, 0)
        if not hasattr(signal, "setitimer"):  # Windows
            return
        set_timer = signal.setitimer
        signal.setitimer = self._slower(set_timer, 1, 2)

        def alarm(seconds: int, /) -> int:
            return int(set_timer(signal.ITIMER_REAL, seconds / self._speed)[0] * self._speed + 0.999)

        signal.alarm = alarm

    def run_at(self, speed: float) -> None:
        """Makes all clocks run `speed` times as fast from now on."""
        self._since = {name: (clock(), self._reading(name)) for name, clock in self._real.items()}
        self._speed = speed

    def monotonic_at(self, moment: float) -> float:
        """Returns what `time.monotonic` shows at a moment of the real clock, at the present speed."""
        real, reading = self._since["monotonic"]
        return float(reading + (moment - real) * self._speed)

    def _reading(self, name: str) -> Any:
        real, reading = self._since[name]
        passed = (self._real[name]() - real) * self._speed
        return reading + (int(passed) if name.endswith("_ns") else passed)

    def _clock(self, name: str) -> Callable[[], Any]:
        return lambda: self._reading(name)

    def _slower(self, function: Callable[..., Any], *times: int) -> Callable[..., Any]:
        """Returns the same function with the arguments at these places divided by the speed."""

        def scaled(*args: Any) -> Any:
            return function(*[arg / self._speed if place in times else arg for place, arg in enumerate(args)])

        return scaled
