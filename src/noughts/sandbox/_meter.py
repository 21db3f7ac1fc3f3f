"""Measures the time that the referee charges a bot for a question.

    charged = max(cpu, wall - waited - gaps)

    cpu      processor time that the process used since it was last at rest. No thinking is free, at any time.
    wall     from the question until the process has answered and is at rest, by the monotonic clock
    waited   of that, ready to run and without a processor: the machine's fault
    gaps     of that, when the referee itself did not run (stopped by Ctrl-Z, waiting for a processor), and so may have
             read the answer late; or when the bot was stopped from outside, which it cannot do itself

Sleeping is charged, waiting is not. cpu and waited are the kernel's own count (/proc/PID/schedstat, in nanoseconds),
exact when the process is at rest and at most a clock tick old while it runs. Without that count, wall is charged.

A quick answer is charged its wall time: the process was at rest before and after, so it used no more than that, and the
kernel's count is not read.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

BEAT = 0.02
"""Seconds between two looks at the clock. A referee that looks later than this did not run: see GAP."""
GAP = BEAT + 0.01
"""A longer time between two looks is a gap, since it is unknown when the answer came."""
QUICK = 0.001
"""Seconds within which waiting time is not measured."""
QUICK_SHARE = 0.05
"""An answer that took a larger share of its limit is not quick."""
STANDSTILL = 0.03
"""Seconds without processor time after which a runnable process counts as waiting; a few ticks of any kernel."""
HOPELESS_TIMES, HOPELESS_SECONDS = 20, 60.0
"""After this many times the limit, and these seconds, the referee gives up on a bot that waits for a processor."""
MANY_SLEEPS = 100
"""Voluntary yields of the processor from which on a bot waits by its own doing; computing bots do not yield."""


class Meter:
    """The clock of one process. For one thread, like the fork server."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._theirs = _open(f"/proc/{pid}/schedstat")
        self._state = _open(f"/proc/{pid}/stat")
        self._ours = _open("/proc/thread-self/schedstat")
        self._latest = (0.0, 0.0)
        self._base: tuple[float, float] | None = self._latest
        self._at_start: tuple[bytes, bytes] | None = None
        self._looked = self._started = time.monotonic()
        self._our_wait = 0.0
        self._sleeps: int | None = None
        self._gaps = 0.0
        self._ran = self._looked
        self.state = b""
        """State of the process at the referee's last look, as ps shows it: R for running or runnable, T for stopped."""

    def start(self) -> tuple[float, bytes]:
        """Starts a question. Processor time since the last rest is already on the clock.

        Returns the time, and the kernel's counts of the process, as `_schedule` reads them.
        """
        # Most answers are quick, so this is rarely parsed.
        counts = _text(self._theirs)
        self._at_start = _text(self._ours), counts
        self._sleeps = None
        self._gaps = 0.0
        self._started = self._looked = self._ran = time.monotonic()
        return self._started, counts

    def is_due(self) -> bool:
        """Returns whether it is time for a look."""
        return time.monotonic() - self._looked > BEAT / 4

    def look(self) -> None:
        """Records that the referee runs. Call it at least once in BEAT."""
        self._open_account()
        now, waited = time.monotonic(), _schedule(_text(self._ours))[1]
        elapsed = now - self._looked
        self.state = self._state_letter()
        self._gaps += elapsed if self.state == b"T" or elapsed > GAP else min(elapsed, waited - self._our_wait)
        self._looked, self._our_wait = now, waited
        before = self._latest[0]
        if self._read()[0] > before:
            self._ran = now

    def settle(self, limit: float, *, held: bool) -> tuple[float, float]:
        """Returns (seconds charged, seconds waited) for the question, once the process is at rest.

        held: whether the kernel holds it, so that it cannot run before the next question.
        """
        wall = self.wall()
        if held and wall <= min(QUICK, QUICK_SHARE * limit):
            self._base = None  # it does not change before the next question
            return wall, 0.0
        self.look()
        charged, waited = self._charge(self._looked)
        self._base = self._latest
        return charged, waited

    def charged(self) -> float:
        """Returns the seconds charged for the question so far."""
        self._read()
        return self._charge(time.monotonic())[0]

    def _open_account(self) -> None:
        """Parses what was read at the start."""
        if self._at_start is not None:
            ours, theirs = self._at_start
            self._our_wait, self._at_start = _schedule(ours)[1], None
            if self._base is None:
                self._latest = self._base = _schedule(theirs)

    def _charge(self, now: float) -> tuple[float, float]:
        assert self._base is not None
        (cpu, waited), (cpu_before, waited_before) = self._latest, self._base
        waited -= waited_before
        return max(cpu - cpu_before, now - self._started - waited - self._gaps, 0.0), waited

    def waited(self) -> float:
        """Returns the seconds during which the process was runnable but had no processor."""
        self._read()
        return self._charge(self._looked)[1]

    def waits_now(self) -> bool:
        """Returns whether it is runnable and has not run for a while. The kernel counts a wait only when it is over."""
        return self._looked - self._ran > STANDSTILL and self._state_letter() == b"R"

    def wall(self) -> float:
        """Returns the wall-clock seconds since the question."""
        return time.monotonic() - self._started

    def is_hopeless(self, limit: float) -> bool:
        """Returns whether the wait has been long enough, whatever the cause. Called once the limit is over."""
        if self._sleeps is None:
            self._sleeps = self._voluntary_switches()
        return self.wall() > HOPELESS_TIMES * limit + HOPELESS_SECONDS

    def slept(self) -> bool:
        """Returns whether it yielded its processor again and again since then, and so waits by its own doing."""
        return self._voluntary_switches() - (self._sleeps or 0) > MANY_SLEEPS

    def close(self) -> None:
        for descriptor in (self._theirs, self._state, self._ours):
            if descriptor >= 0:
                os.close(descriptor)
        self._theirs = self._state = self._ours = -1

    def _read(self) -> tuple[float, float]:
        self._open_account()
        found = _schedule(_text(self._theirs))
        # A process that is gone has no count.
        self._latest = max(self._latest[0], found[0]), max(self._latest[1], found[1])
        return self._latest

    def _state_letter(self) -> bytes:
        """Returns the process's state; X if it is gone."""
        try:
            return os.pread(self._state, 1024, 0).rpartition(b") ")[2][:1]
        except OSError:
            return b"X"

    def _voluntary_switches(self) -> int:
        try:
            text = Path(f"/proc/{self._pid}/status").read_text()
        except OSError:
            return 0
        return int(text.partition("\nvoluntary_ctxt_switches:")[2].split("\n")[0] or 0)


def _text(descriptor: int) -> bytes:
    """Returns the contents of schedstat; empty where the kernel does not count, or the process is gone."""
    try:
        return os.pread(descriptor, 96, 0)
    except OSError:
        return b""


def _schedule(text: bytes) -> tuple[float, float]:
    """Returns (seconds on a processor, seconds waiting for one)."""
    try:
        cpu, waited, _ = text.split()
    except ValueError:
        return 0.0, 0.0
    return int(cpu) / 1e9, int(waited) / 1e9


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
