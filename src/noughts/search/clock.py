"""The time of a search: when to stop so as not to be late, even if the machine is busy with other work.

Compiled code reads nanoseconds of the clock that `time.monotonic` reads, where the system has it. Three words of a
workspace, one after the other, keep the time of a search:

    DEADLINE   when the move must be there
    LOOKED     when the clock was last looked at
    PAUSE      the longest time between two looks, of this search and, less and less, of earlier ones

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

from noughts.rules.jit import Ints, inlined

DEADLINE, LOOKED, PAUSE = 0, 1, 2
NEVER = 1 << 62
KEPT = 7 / 8
"""How much of the longest pause of earlier searches still counts in the next one."""
MOST_OF_THE_TIME = 3 / 4
"""Pauses are not feared so much that less than this share of the time is used."""

COMPILED_CLOCK = sys.platform != "win32"
"""Whether compiled code can read the time. Where not, whoever searches must set the stop word in time."""

if numba.config.DISABLE_JIT:
    now = time.monotonic_ns
elif COMPILED_CLOCK:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    _MONOTONIC = time.CLOCK_MONOTONIC

    @intrinsic  # type: ignore[untyped-decorator]
    def now(context: Any) -> Any:
        """CLOCK_MONOTONIC through a symbol of the C library: unlike a function pointer, it can be cached."""

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


def start_clock(words: npt.NDArray[np.int64], at: int, started: float, seconds: float | None) -> None:
    """Give a search that began at `started` its seconds; None is no limit. Its three words begin at `at`."""
    words[at + LOOKED] = int(started * 1e9)
    words[at + PAUSE] = int(words[at + PAUSE] * KEPT)
    words[at + DEADLINE] = NEVER
    if seconds is not None and seconds < 1e9:
        words[at + DEADLINE] = int((started + seconds) * 1e9)
        words[at + PAUSE] = min(words[at + PAUSE], int(seconds * (1 - MOST_OF_THE_TIME) * 1e9))


@inlined
def time_is_up(words: Ints, at: int) -> bool:
    """Look at the clock: whether it is time to stop."""
    time = now()
    words[at + PAUSE] = max(words[at + PAUSE], time - words[at + LOOKED])
    words[at + LOOKED] = time
    return time + words[at + PAUSE] > words[at + DEADLINE]


@contextmanager
def alarm(seconds: float | None, stop: Callable[[], None]) -> Iterator[None]:
    """Where compiled code cannot read the clock, another thread does, and stops the search."""
    if COMPILED_CLOCK or seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
