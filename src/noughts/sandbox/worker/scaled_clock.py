"""Clocks that can run fast, for a quick check: a bot that thinks until its time is up is done in a fraction of it.

Everything that shows the time or waits is scaled alike: the module `time`, and the alarms of `signal`. The referee's
own clock is not, so no bot is late for this.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


class ScaledClocks:
    """Replaces the clocks of this process, before a bot has seen them; they run at the usual speed until `run_at`."""

    def __init__(self) -> None:
        self._speed = 1.0
        self._real = {name + end: getattr(time, name + end) for name in CLOCKS for end in ("", "_ns")}
        self._since = {name: (clock(), clock()) for name, clock in self._real.items()}
        """What each clock really showed when the speed last changed, and what the bot saw then."""
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
        """Lets all clocks run so many times as fast from now on."""
        self._since = {name: (clock(), self._shown(name)) for name, clock in self._real.items()}
        self._speed = speed

    def _shown(self, name: str) -> Any:
        real, shown = self._since[name]
        passed = (self._real[name]() - real) * self._speed
        return shown + (int(passed) if name.endswith("_ns") else passed)

    def _clock(self, name: str) -> Callable[[], Any]:
        return lambda: self._shown(name)

    def _slower(self, function: Callable[..., Any], *times: int) -> Callable[..., Any]:
        """Returns the same function with the arguments at these places divided."""

        def scaled(*args: Any) -> Any:
            return function(*[arg / self._speed if place in times else arg for place, arg in enumerate(args)])

        return scaled
