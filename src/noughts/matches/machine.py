"""Describes the machine that games are played on, and its speed.

The speed is that of a fixed Python loop, in millions of steps per second of processor time. It tells how much a bot
could compute in the charged time; only differences between games matter.
"""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from noughts.clock import thread_clock_ns
from noughts.files import usable_cores

STEPS = 50_000
REPEATS = 5
"""Number of measurements. The best counts, since other programs can only slow the loop down."""
STALE_SECONDS = 60.0
"""Seconds after which the speed is measured again, in case the machine gets hot or busy."""


@dataclass(frozen=True)
class Machine:
    """A machine. name: of the host. processor: its model. cores: the usable ones."""

    name: str
    processor: str
    cores: int


@cache
def this_machine() -> Machine:
    return Machine(platform.node() or "unnamed", _processor(), usable_cores())


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def measured_speed() -> float:
    """Returns millions of steps per second of processor time; takes about 20 ms."""
    return max(_one_speed() for _ in range(REPEATS))


def _one_speed() -> float:
    began = thread_clock_ns()
    total = 0
    for step in range(STEPS):
        total = (total * 31 + step) & 0xFFFF
    return STEPS * 1000 / max(1, thread_clock_ns() - began)


class Speedometer:
    """The speed of this machine, measured again if the last measurement is old."""

    def __init__(self) -> None:
        self._speed, self._measured = 0.0, -STALE_SECONDS

    def speed(self) -> float:
        now = time.monotonic()
        if now - self._measured >= STALE_SECONDS:
            self._speed, self._measured = round(measured_speed(), 3), now
        return self._speed
