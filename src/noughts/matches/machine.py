"""The machine that games are played on, and how fast it is.

The speed is that of a fixed loop of Python, in millions of steps for each second of processor time: what a bot could
have computed in the time that it was charged for. Absolute numbers mean little; differences between games do.
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
"""The best of so many counts: what else the machine does only ever slows a loop down."""
STALE_SECONDS = 60.0
"""A machine that gets hot or busy is noticed after so long."""


@dataclass(frozen=True)
class Machine:
    """name: of the host. processor: its model. cores: those that may be used."""

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
    """Millions of steps a second of processor time; takes about 20 ms."""
    return max(_one_speed() for _ in range(REPEATS))


def _one_speed() -> float:
    began = thread_clock_ns()
    total = 0
    for step in range(STEPS):
        total = (total * 31 + step) & 0xFFFF
    return STEPS * 1000 / max(1, thread_clock_ns() - began)


class Speedometer:
    """The speed of this machine, measured again when it is asked for and the last time is long ago."""

    def __init__(self) -> None:
        self._speed, self._measured = 0.0, -STALE_SECONDS

    def speed(self) -> float:
        now = time.monotonic()
        if now - self._measured >= STALE_SECONDS:
            self._speed, self._measured = round(measured_speed(), 3), now
        return self._speed
