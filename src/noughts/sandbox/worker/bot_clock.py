"""The clock that a sandboxed bot sees: it charges what the referee charges (see `sandbox._meter`).

Waiting for a processor is not charged. The kernel counts it in a file of `/proc`, which this process opened before it
was confined. The count of a running process is exact.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cached_property

from noughts.clock import Clock
from noughts.sandbox._wire import SCHEDULE

COUNTS = 96
"""Bytes that hold the counts of any process."""


class BotClock(Clock):
    """The clock of one move. counts: the kernel's counts of this process when the move started, empty where it does not
    count. speed: factor by which `time.monotonic` is faster than time."""

    def __init__(self, seconds: float, started: float, counts: bytes, speed: float) -> None:
        super().__init__(seconds, started)
        self._counts, self._speed = counts, speed

    def elapsed(self) -> float:
        waited = 0.0
        if self._counts:
            before = self._waited_before
            with suppress(OSError):  # the bot has closed the file
                # The count is read before the time: a wait between the two is deducted later, not early.
                waited = _waited(os.pread(SCHEDULE, COUNTS, 0)) - before
        return time.monotonic() - self.started - self._speed * waited

    @cached_property
    def _waited_before(self) -> float:
        return _waited(self._counts)


def _waited(counts: bytes) -> float:
    """Returns the seconds for which the process had waited for a processor."""
    return int(counts.split()[1]) / 1e9
