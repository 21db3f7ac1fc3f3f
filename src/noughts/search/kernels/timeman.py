"""Time management: when to stop so as not to be late, even if the machine is busy with other work.

Compiled code reads nanoseconds of the clock that `time.monotonic` reads, where the system has it. Four words of a
workspace, one after the other, keep the time of a search:

    DEADLINE     when the move must be there
    LAST_CHECK   when the clock was last read
    PAUSE        the longest time between two checks, of this search and, less and less, of earlier ones
    RESERVE      the longest pause that is allowed for

On a busy machine a program is set aside now and then. A search stops when another pause like the longest one so far
would make it late.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from noughts.rules.kernels.jit import Ints, inlined

DEADLINE, LAST_CHECK, PAUSE, RESERVE = 0, 1, 2, 3
NEVER = 1 << 62
PAUSE_DECAY = 7 / 8
"""How much of the longest pause of earlier searches still counts in the next one."""
MAX_RESERVE = 1 / 4
"""Pauses are not feared so much that more than this share of the time is given up."""

COMPILED_CLOCK = sys.platform != "win32"
"""Whether compiled code can read the time. Where not, whoever searches must set the stop word in time."""

if numba.config.DISABLE_JIT:
    now = time.monotonic_ns
elif COMPILED_CLOCK:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    # On macOS `time.monotonic` stands still while the machine sleeps, and CLOCK_MONOTONIC does not.
    _MONOTONIC = getattr(time, "CLOCK_UPTIME_RAW", time.CLOCK_MONOTONIC)

    @intrinsic  # type: ignore[untyped-decorator]
    def now(context: Any) -> Any:
        """The clock through a symbol of the C library: unlike a function pointer, it can be cached."""

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
    """Give a search, whose time began at `started`, its seconds; None is no limit. Its words begin at `first`."""
    words[first + LAST_CHECK] = time.monotonic_ns()
    words[first + PAUSE] = int(words[first + PAUSE] * PAUSE_DECAY)
    words[first + DEADLINE] = NEVER
    if seconds is not None and seconds < 1e9:
        words[first + DEADLINE] = int((started + seconds) * 1e9)
        words[first + RESERVE] = int(seconds * MAX_RESERVE * 1e9)


@inlined
def time_is_up(words: Ints, first: int) -> bool:
    """Read the clock: whether it is time to stop."""
    moment = now()
    words[first + PAUSE] = max(words[first + PAUSE], moment - words[first + LAST_CHECK])
    words[first + LAST_CHECK] = moment
    return moment + min(words[first + PAUSE], words[first + RESERVE]) > words[first + DEADLINE]


@contextmanager
def alarm(started: float, seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Where compiled code cannot read the clock, another thread does, and stops the search."""
    if COMPILED_CLOCK or seconds is None:
        yield
        return
    timer = threading.Timer(max(0.0, started + seconds - time.monotonic()), stop)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
