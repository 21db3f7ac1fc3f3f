"""The transposition table (TT): results for positions that the search may meet again.

An int64 array with a power of two of buckets. A bucket has two entries, each a Zobrist key and a data word. The first
entry keeps the deepest search (of this generation), the second one takes all others.

    data bits   0-15 move plus one   16-17 bound   18-25 depth   26-31 generation   32-63 value
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.compiler import intrinsic, ir, types
from noughts.rules.kernels.form import COMPILED
from noughts.rules.kernels.jit import inlined
from noughts.search.kernels import layout as at

BOUND_EXACT, BOUND_LOWER, BOUND_UPPER = 0, 1, 2
"""Relation of the stored value to the true one at that depth: equal, lower bound, upper bound."""


def new_table(megabytes: int) -> npt.NDArray[np.int64]:
    """Returns an empty table of at most this size in megabytes, with each bucket in one cache line."""
    words = 1 << ((megabytes << 20) // 8).bit_length() - 1
    raw = np.empty(words + 8, np.int64)
    raw.fill(0)  # written now, since the system provides pages at the first write, which would slow the first search
    skip = -(raw.ctypes.data // 8) % 8
    return raw[skip : skip + words]


if not COMPILED:

    def prefetch(array: Ints, index: int) -> None:
        """Prefetches a word of an array."""

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(context: Any, array: Any, index: Any) -> Any:
        """Prefetches a word of an array."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            address = builder.bitcast(builder.gep(data, [args[1]]), pointer)
            kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
            name = "llvm.prefetch.p0"
            function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
            builder.call(function, [address, *(ir.Constant(number, word) for word in (0, 3, 1))])
            return context.get_dummy_value()

        return types.void(array, types.int64), generate


@inlined
def tt_prefetch(tt: Ints, key: int) -> None:
    """Prefetches the bucket for `tt_probe`."""
    prefetch(tt, (key & ((len(tt) >> 2) - 1)) << 2)


@inlined
def tt_probe(tt: Ints, key: int) -> int:
    """Returns the data of a position, or 0."""
    bucket = (key & ((len(tt) >> 2) - 1)) << 2
    if tt[bucket] == key:
        return tt[bucket + 1]
    if tt[bucket + 2] == key:
        return tt[bucket + 3]
    return 0


@inlined
def tt_move(data: int) -> int:
    """Returns the best move, or -1."""
    return (data & 0xFFFF) - 1


@inlined
def tt_bound(data: int) -> int:
    """Returns BOUND_EXACT, BOUND_LOWER or BOUND_UPPER."""
    return (data >> 16) & 3


@inlined
def tt_depth(data: int) -> int:
    """Returns the depth of the search that found the value."""
    return (data >> 18) & 255


@inlined
def tt_generation(data: int) -> int:
    """Returns the GENERATION of the search that stored the entry."""
    return (data >> 26) & 63


@inlined
def tt_store(work: Ints, tt: Ints, key: int, move: int, bound: int, depth: int, value: int) -> None:
    """Writes an entry; `value` comes from `value_to_tt`."""
    entry = (key & ((len(tt) >> 2) - 1)) << 2
    kept = tt[entry + 1]
    if tt[entry] != key and tt_generation(kept) == work[at.GENERATION] and tt_depth(kept) > depth:
        entry += 2
    tt[entry] = key
    tt[entry + 1] = (value << 32) | (work[at.GENERATION] << 26) | (depth << 18) | (bound << 16) | (move + 1)


@inlined
def value_to_tt(value: int, ply: int) -> int:
    """Returns a value relative to the position: wins are counted from there, not from the root."""
    if value > at.PROVEN:
        return value + ply
    if value < -at.PROVEN:
        return value - ply
    return value


@inlined
def value_from_tt(data: int, ply: int) -> int:
    """Returns the stored value relative to the root."""
    value = data >> 32
    if value > at.PROVEN:
        return value - ply
    if value < -at.PROVEN:
        return value + ply
    return value


@inlined
def tt_cutoff(data: int, value: int, depth: int, alpha: int, beta: int) -> bool:
    """Returns whether an entry has enough depth and a bound that settles the node's window (alpha, beta)."""
    bound = tt_bound(data)
    return (tt_depth(data) >= depth or value > at.PROVEN or value < -at.PROVEN) and (
        bound == BOUND_EXACT or (bound == BOUND_LOWER and value >= beta) or (bound == BOUND_UPPER and value <= alpha)
    )
