"""The time, read by compiled code: nanoseconds of the clock that `time.monotonic` reads, where the system has it."""

from __future__ import annotations

import sys
import time
from typing import Any

import numba

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
    from noughts.rules.jit import inlined

    @inlined
    def now() -> int:
        return 0
