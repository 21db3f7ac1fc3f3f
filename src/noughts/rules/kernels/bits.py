"""Operations on the bits of a nonnegative int64, one or two machine instructions each when compiled."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from noughts.rules.kernels.compiler import cgutils, intrinsic, ir, numba, types
from noughts.rules.kernels.form import BUILD, COMPILED, FORM, NUMBA
from noughts.rules.kernels.jit import inlined

if not COMPILED:

    def lowest_bit(x: int) -> int:
        """Returns the number of the lowest set bit of x; x must not be 0."""
        x = int(x)
        return (x & -x).bit_length() - 1

    def count_bits(x: int) -> int:
        """Returns the number of set bits of x."""
        return int(x).bit_count()

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(context: Any, x: Any) -> Any:
        """Returns the number of the lowest set bit of x; x must not be 0."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def count_bits(context: Any, x: Any) -> Any:
        """Returns the number of set bits of x."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def deposit_bits(context: Any, bits: Any, mask: Any) -> Any:
        """Returns the lowest bits of `bits`, moved to the set bits of `mask`: pdep of x86-64 with BMI2."""

        def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            if FORM == BUILD:
                function = cgutils.get_or_insert_function(builder.module, kind, "noughts_deposit_bits")
            else:
                function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
            return builder.call(function, args)

        return types.int64(types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def can_deposit(context: Any) -> Any:
        """Returns whether the level of processor that the extension is built for has `deposit_bits`."""

        def generate(_context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(1), [])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, "noughts_can_deposit"), [])

        return types.boolean(), generate


@inlined
def nth_bit_by_halves(x: int, n: int) -> int:
    """`nth_bit` on any machine, for 16 bits.

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


@inlined
def nth_bit_by_deposit(x: int, n: int) -> int:
    """`nth_bit` in two instructions; random play is a third faster with it."""
    return lowest_bit(deposit_bits(1 << n, x))


@inlined
def nth_bit_by_level(x: int, n: int) -> int:
    """`nth_bit` for an extension with several levels of processors."""
    return nth_bit_by_deposit(x, n) if can_deposit() else nth_bit_by_halves(x, n)


def _compiles_for_bmi2() -> bool:
    """Returns whether Numba compiles for x86-64 with BMI2."""
    if FORM != NUMBA or numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return False
    from llvmlite import binding

    return platform.machine() in ("x86_64", "AMD64") and bool(binding.get_host_cpu_features().get("bmi2"))


nth_bit: Callable[[int, int], int] = (
    nth_bit_by_level if FORM == BUILD else nth_bit_by_deposit if _compiles_for_bmi2() else nth_bit_by_halves
)
"""nth_bit(x, n): number of the n-th (from 0) set bit of x. More than n of its 16 bits must be set."""
