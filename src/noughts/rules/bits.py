"""Two operations on the bits of a nonnegative int64, one machine instruction each when compiled."""

from __future__ import annotations

from typing import Any

import numba

from noughts.rules.jit import inlined

if numba.config.DISABLE_JIT:

    def lowest_bit(x: int) -> int:
        """Number of the lowest set bit of x; x must not be 0."""
        x = int(x)
        return (x & -x).bit_length() - 1

    def count_bits(x: int) -> int:
        """How many bits of x are set."""
        return int(x).bit_count()

else:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(context: Any, x: Any) -> Any:
        """Number of the lowest set bit of x; x must not be 0."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def count_bits(context: Any, x: Any) -> Any:
        """How many bits of x are set."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), generate


@inlined
def nth_bit(x: int, n: int) -> int:
    """Number of the n-th (from 0) set bit of x, where x has more than n of its 16 bits set.

    Halves the word four times without a branch: a loop over the bits would be mispredicted at each random move.
    """
    at = 0
    low = count_bits(x & 255)
    up = int(n >= low)
    n -= low * up
    at += 8 * up
    low = count_bits((x >> at) & 15)
    up = int(n >= low)
    n -= low * up
    at += 4 * up
    low = count_bits((x >> at) & 3)
    up = int(n >= low)
    n -= low * up
    at += 2 * up
    return at + int(n >= ((x >> at) & 1))
