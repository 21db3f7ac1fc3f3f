"""What a question costs a bot: time as the referee charges it.

    charged = max(cpu, wall - waited - gaps)

    cpu      processor time that the process used since it was last stopped. Nobody thinks for free, whenever it is.
    wall     from the question to the answer, by the monotonic clock
    waited   of that, ready to run and without a processor: the machine's fault
    gaps     of that, when the referee itself did not run (stopped by Ctrl-Z, waiting for a processor), and so may have
             read the answer late; or when somebody had stopped the bot, which it cannot do itself

Sleeping is charged, waiting is not. cpu and waited are the kernel's own count (/proc/PID/schedstat, in nanoseconds),
exact when the process is stopped and at most a clock tick old while it runs. A kernel that does not count leaves wall.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

BEAT = 0.02
"""Seconds between two looks at the clock. A referee that looks later than this did not run: see GAP."""
GAP = BEAT + 0.01
"""From here on the whole time between two looks is a gap: nobody knows when in it the answer came."""
TAIL = 0.001
"""Seconds of processor time that the worker may use between its answer and its stop; it takes a twentieth of it."""
STANDSTILL = 0.03
"""Seconds without processor time after which a process that is ready to run is waiting; a few ticks of any kernel."""
HOPELESS_TIMES, HOPELESS_SECONDS = 20, 60.0
"""After so many times the limit, and these seconds, we give up on a bot that waits for a processor."""
MANY_SLEEPS = 100
"""A bot that computes gives its processor up of its own accord not even once in a move."""
QUICK_LOOKS = 10
"""In a tenth of a millisecond a process on another processor has heard of its stop."""
PAUSE = 0.0002
"""Seconds between looks at a process on a busy machine."""
STOP_PATIENCE = 0.25
"""Seconds for a stopped process to show it. A starved one takes longer, and cannot run on meanwhile."""


class Meter:
    """The clock of one process. For one thread, as the fork server is."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._theirs = _open(f"/proc/{pid}/schedstat")
        self._state = _open(f"/proc/{pid}/stat")
        self._ours = _open("/proc/thread-self/schedstat")
        self._latest = self._base = (0.0, 0.0)
        self._looked = self._started = time.monotonic()
        self._our_wait = 0.0
        self._sleeps: int | None = None
        self._gaps = 0.0
        self._ran = self._looked
        self._stopped_at: float | None = None
        self.is_stopped = False
        """Whether the process was stopped when the referee last looked."""

    def start(self) -> None:
        """A question is about to be asked. Processor time since the last stop is on the clock already."""
        self._our_wait = _schedule(self._ours)[1]
        self._sleeps = None
        self._gaps = 0.0
        self._stopped_at = None
        self._started = self._looked = self._ran = time.monotonic()

    def look(self) -> None:
        """Tell the meter that the referee runs. It must hear of it at least once in BEAT."""
        now, waited = time.monotonic(), _schedule(self._ours)[1]
        elapsed = now - self._looked
        self.is_stopped = self._state_letter() == b"T"
        self._gaps += elapsed if self.is_stopped or elapsed > GAP else min(elapsed, waited - self._our_wait)
        self._looked, self._our_wait = now, waited
        before = self._latest[0]
        if self._read()[0] > before:
            self._ran = now

    def answered(self) -> None:
        """The answer was read: the wall clock stops here."""
        self.look()
        self._stopped_at = self._looked

    def wait_until_stopped(self) -> None:
        """Return when the process, to which a stop was sent, runs no more."""
        until = time.monotonic() + STOP_PATIENCE
        looks = 0
        while self._state_letter() not in b"TtZX" and time.monotonic() < until:
            looks += 1
            if looks > QUICK_LOOKS:
                time.sleep(PAUSE)  # it may need the very processor that we run on
        self._read()

    def close_account(self) -> None:
        """From here on processor time belongs to the next question."""
        self._base = self._latest

    def charged(self) -> float:
        """Seconds that the question has cost so far."""
        cpu, _ = self._read()
        return max(cpu - self._base[0] - TAIL, self.wall() - self.waited() - self._gaps, 0.0)

    def waited(self) -> float:
        """Seconds of it that the process was ready to run and had no processor."""
        return self._read()[1] - self._base[1]

    def waits_now(self) -> bool:
        """Whether it is ready to run and has not run for a while. The kernel counts a wait when it is over."""
        return self._looked - self._ran > STANDSTILL and self._state_letter() == b"R"

    def wall(self) -> float:
        """Seconds since the question, whatever passed in them."""
        return (self._stopped_at or time.monotonic()) - self._started

    def is_hopeless(self, limit: float) -> bool:
        """Whether we have waited long enough, whoever is to blame. Asked from when the limit is over."""
        if self._sleeps is None:
            self._sleeps = self._voluntary_switches()
        return self.wall() > HOPELESS_TIMES * limit + HOPELESS_SECONDS

    def slept(self) -> bool:
        """Whether it gave its processor up by itself again and again since then, and so waits by its own doing."""
        return self._voluntary_switches() - (self._sleeps or 0) > MANY_SLEEPS

    def close(self) -> None:
        for descriptor in (self._theirs, self._state, self._ours):
            if descriptor >= 0:
                os.close(descriptor)
        self._theirs = self._state = self._ours = -1

    def _read(self) -> tuple[float, float]:
        found = _schedule(self._theirs)
        # A process that is gone tells nothing any more.
        self._latest = max(self._latest[0], found[0]), max(self._latest[1], found[1])
        return self._latest

    def _state_letter(self) -> bytes:
        """What the process does, as ps shows it: R for running or ready to run, T for stopped, X for gone."""
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


def _schedule(descriptor: int) -> tuple[float, float]:
    """(seconds on a processor, seconds waiting for one); zeros where nobody counts, or the process is gone."""
    if descriptor < 0:
        return 0.0, 0.0
    try:
        cpu, waited, _ = os.pread(descriptor, 96, 0).split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(cpu) / 1e9, int(waited) / 1e9


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
