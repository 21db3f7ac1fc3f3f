"""Time management: stops in time, even on a busy machine.

Compiled code reads the clock of `time.monotonic` in nanoseconds, if the system supports it. Four consecutive words of a
workspace keep the time of a search:

    DEADLINE     time when the move is due
    LAST_CHECK   time of the last clock read
    PAUSE        longest time between two checks in this search; earlier searches count less and less
    RESERVE      longest pause that is expected

A busy machine pauses programs. A search stops when another pause as long as the longest one so far would make it late.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.compiler import cgutils, intrinsic, ir, types
from noughts.rules.kernels.form import BUILD, COMPILED, EXTENSION, FORM
from noughts.rules.kernels.jit import inlined

DEADLINE, LAST_CHECK, PAUSE, RESERVE = 0, 1, 2, 3
NEVER = 1 << 62
PAUSE_DECAY = 7 / 8
"""Share of the longest earlier pause that still counts in the next search."""
MAX_RESERVE = 1 / 4
"""Maximum share of the time reserved for pauses."""

COMPILED_CLOCK = FORM == EXTENSION or sys.platform != "win32"
"""Whether compiled code can read the time. If not, the caller must set the stop word in time."""

if not COMPILED:
    now = time.monotonic_ns
elif FORM == BUILD:

    @intrinsic  # type: ignore[untyped-decorator]
    def now(context: Any) -> Any:
        """Returns the clock, through a function of the extension, which knows the system that it is built for."""

        def generate(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), [])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, "noughts_clock"), [])

        return types.int64(), generate

elif COMPILED_CLOCK:
    # On macOS `time.monotonic` stands still while the machine sleeps, and CLOCK_MONOTONIC does not.
    _MONOTONIC = getattr(time, "CLOCK_UPTIME_RAW", time.CLOCK_MONOTONIC)

    @intrinsic  # type: ignore[untyped-decorator]
    def now(context: Any) -> Any:
        """Returns the clock, through a symbol of the C library, which can be cached, unlike a function pointer."""

        def generate(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            word, number = ir.IntType(64), ir.IntType(32)
            pair = ir.LiteralStructType([word, word])
            place = cgutils.alloca_once(builder, pair)
            kind = ir.FunctionType(number, [number, pair.as_pointer()])
            call = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
            builder.call(call, [ir.Constant(number, _MONOTONIC), place])
            read = builder.load(place)
            seconds, rest = builder.extract_value(read, 0), builder.extract_value(read, 1)
            return builder.add(builder.mul(seconds, ir.Constant(word, 1_000_000_000)), rest)

        return types.int64(), generate

else:

    @inlined
    def now() -> int:
        return 0


def start_time(words: npt.NDArray[np.int64], first: int, started: float, seconds: float | None) -> None:
    """Sets the time limit of a search that began at `started`; None is no limit. Its words begin at `first`."""
    words[first + LAST_CHECK] = time.monotonic_ns()
    words[first + PAUSE] = int(words[first + PAUSE] * PAUSE_DECAY)
    words[first + DEADLINE] = NEVER
    if seconds is not None and seconds < 1e9:
        words[first + DEADLINE] = int((started + seconds) * 1e9)
        words[first + RESERVE] = int(seconds * MAX_RESERVE * 1e9)


@inlined
def time_is_up(words: Ints, first: int) -> bool:
    """Reads the clock. Returns whether it is time to stop."""
    moment = now()
    words[first + PAUSE] = max(words[first + PAUSE], moment - words[first + LAST_CHECK])
    words[first + LAST_CHECK] = moment
    return moment + min(words[first + PAUSE], words[first + RESERVE]) > words[first + DEADLINE]


@contextmanager
def alarm(started: float, seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Stops the search from another thread, if compiled code cannot read the clock."""
    if COMPILED_CLOCK or seconds is None:
        yield
        return
    timer = threading.Timer(max(0.0, started + seconds - time.monotonic()), stop)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
