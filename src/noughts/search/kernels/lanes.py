"""Arithmetic on all lanes of a network at once.

Compiled functions use LLVM's vectors, which LLVM splits for the processor's registers: SSE2, AVX2, AVX-512 and NEON
give the same integers. Uncompiled functions use NumPy. Places are valid indices into `net`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from noughts.rules.kernels.compiler import cgutils, intrinsic, ir, types
from noughts.rules.kernels.form import COMPILED
from noughts.search.kernels.network_layout import HIDDEN_ONE, RANK, ROW_SHIFT, SQUARE_SHIFT, WIDTH

if not COMPILED:

    def _wide(net: Any, place: int, count: int = WIDTH) -> Any:
        return net[place : place + count].astype(np.int32)

    def exchange_rows(net: Any, to: int, source: int, plus: int, minus: int) -> None:
        """net[to] = net[source] + net[plus] - net[minus], WIDTH lanes each."""
        net[to : to + WIDTH] = _wide(net, source) + _wide(net, plus) - _wide(net, minus)

    def output_sum(net: Any, a: int, b: int, c: int, d: int, weights: int) -> int:
        """Returns the sum over lanes of net[weights] times the square of a hidden unit: net[a] + ... + net[d],
        clipped.
        """
        units = np.clip(_wide(net, a) + _wide(net, b) + _wide(net, c) + _wide(net, d), 0, HIDDEN_ONE)
        return int((_wide(net, weights) * (units * units >> SQUARE_SHIFT)).sum())

    def add_vector(net: Any, to: int, source: int) -> None:
        """net[to] += net[source], RANK lanes each."""
        net[to : to + RANK] += net[source : source + RANK]

    def project(net: Any, to: int, vector: int, matrix: int, low: int, top: int, limit: int) -> None:
        """net[to] = net[vector], clipped to low and top, times the matrix; 2 * WIDTH lanes, clipped to the limit."""
        lanes = np.clip(_wide(net, vector, RANK), low, top)
        weights = _wide(net, matrix, RANK * 2 * WIDTH).reshape(-1, 2 * WIDTH, 2).swapaxes(1, 2).reshape(RANK, -1)
        total = (lanes @ weights + (1 << (ROW_SHIFT - 1))) >> ROW_SHIFT
        net[to : to + 2 * WIDTH] = np.clip(total, -limit, limit)

else:
    I16: Any = ir.IntType(16)
    I32: Any = ir.IntType(32)
    I64: Any = ir.IntType(64)

    def _vector(element: Any, lanes: int, value: int) -> Any:
        return ir.Constant(ir.VectorType(element, lanes), [ir.Constant(element, value)] * lanes)

    def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        return context.make_array(kind)(context, builder, array).data

    def _pointer(builder: Any, data: Any, place: Any, lanes: int) -> Any:
        return builder.bitcast(builder.gep(data, [place]), ir.VectorType(I16, lanes).as_pointer())

    def _load(builder: Any, data: Any, place: Any, lanes: int = WIDTH) -> Any:
        loaded = builder.load(_pointer(builder, data, place, lanes))
        loaded.align = 2
        return loaded

    def _store(builder: Any, data: Any, place: Any, value: Any, lanes: int = WIDTH) -> None:
        builder.store(value, _pointer(builder, data, place, lanes)).align = 2

    def _clip(builder: Any, value: Any, low: Any, top: Any) -> Any:
        value = builder.select(builder.icmp_signed(">", value, low), value, low)
        return builder.select(builder.icmp_signed("<", value, top), value, top)

    def _spread(builder: Any, element: Any, lanes: int, value: Any) -> Any:
        """Returns a number in all lanes."""
        nothing = ir.Constant(ir.VectorType(element, lanes), ir.Undefined)
        first = builder.insert_element(nothing, builder.trunc(value, element), ir.Constant(I32, 0))
        return builder.shuffle_vector(first, nothing, _vector(I32, lanes, 0))

    def _shuffled(builder: Any, vector: Any, places: Sequence[int]) -> Any:
        """Returns the lanes of a vector at some places."""
        mask = [ir.Constant(I32, place) for place in places]
        return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(I32, len(mask)), mask))

    def _products_in_pairs(builder: Any, first: Any, second: Any) -> Any:
        """Returns products of two int16 vectors, with lanes 2j and 2j + 1 added: a single instruction."""
        lanes = first.type.count
        products = builder.mul(*(builder.sext(each, ir.VectorType(I32, lanes)) for each in (first, second)))
        return builder.add(*(_shuffled(builder, products, range(half, lanes, 2)) for half in range(2)))

    @intrinsic  # type: ignore[untyped-decorator]
    def exchange_rows(context: Any, net: Any, to: Any, source: Any, plus: Any, minus: Any) -> Any:
        """net[to] = net[source] + net[plus] - net[minus], WIDTH lanes each."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = _data(context, builder, signature.args[0], args[0])
            total = builder.add(_load(builder, data, args[2]), _load(builder, data, args[3]))
            _store(builder, data, args[1], builder.sub(total, _load(builder, data, args[4])))
            return context.get_dummy_value()

        return types.void(net, *[types.int64] * 4), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def output_sum(context: Any, net: Any, a: Any, b: Any, c: Any, d: Any, weights: Any) -> Any:
        """Returns the sum over lanes of net[weights] times the square of a hidden unit: net[a] + ... + net[d],
        clipped.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = _data(context, builder, signature.args[0], args[0])
            rows = [_load(builder, data, place) for place in args[1:5]]
            total = builder.add(builder.add(rows[0], rows[1]), builder.add(rows[2], rows[3]))
            units = _clip(builder, total, _vector(I16, WIDTH, 0), _vector(I16, WIDTH, HIDDEN_ONE))
            squares = builder.lshr(builder.mul(units, units), _vector(I16, WIDTH, SQUARE_SHIFT))
            wide = ir.VectorType(I32, WIDTH)
            weighed = builder.mul(builder.sext(squares, wide), builder.sext(_load(builder, data, args[5]), wide))
            name = f"llvm.vector.reduce.add.v{WIDTH}i32"
            reduce = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(I32, [wide]), name)
            return builder.sext(builder.call(reduce, [weighed]), I64)

        return types.int64(net, *[types.int64] * 5), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def add_vector(context: Any, net: Any, to: Any, source: Any) -> Any:
        """net[to] += net[source], RANK lanes each."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = _data(context, builder, signature.args[0], args[0])
            total = builder.add(_load(builder, data, args[1], RANK), _load(builder, data, args[2], RANK))
            _store(builder, data, args[1], total, RANK)
            return context.get_dummy_value()

        return types.void(net, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def project(context: Any, net: Any, to: Any, vector: Any, matrix: Any, low: Any, top: Any, limit: Any) -> Any:
        """net[to] = net[vector], clipped to low and top, times the matrix; 2 * WIDTH lanes, clipped to the limit."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = _data(context, builder, signature.args[0], args[0])
            _, to, vector, matrix, low, top, limit = args
            bounds = [_spread(builder, I16, RANK, bound) for bound in (low, top)]
            _store(builder, data, vector, _clip(builder, _load(builder, data, vector, RANK), *bounds), RANK)
            narrow = ir.VectorType(I16, WIDTH)
            sums = [cgutils.alloca_once_value(builder, _vector(I32, WIDTH, 1 << (ROW_SHIFT - 1))) for _ in range(2)]
            with cgutils.for_range(builder, ir.Constant(I64, RANK // 2)) as loop:
                place = builder.add(vector, builder.mul(loop.index, ir.Constant(I64, 2)))
                two = _shuffled(builder, _load(builder, data, place, 2), [0, 1] * WIDTH)
                row = builder.add(matrix, builder.mul(loop.index, ir.Constant(I64, 4 * WIDTH)))
                for half, total in enumerate(sums):
                    by = _load(builder, data, builder.add(row, ir.Constant(I64, half * 2 * WIDTH)), 2 * WIDTH)
                    builder.store(builder.add(builder.load(total), _products_in_pairs(builder, two, by)), total)
            most = _spread(builder, I32, WIDTH, limit)
            least = builder.sub(_vector(I32, WIDTH, 0), most)
            for half, total in enumerate(sums):
                scaled = builder.ashr(builder.load(total), _vector(I32, WIDTH, ROW_SHIFT))
                lanes = builder.trunc(_clip(builder, scaled, least, most), narrow)
                _store(builder, data, builder.add(to, ir.Constant(I64, half * WIDTH)), lanes)
            return context.get_dummy_value()

        return types.void(net, *[types.int64] * 6), generate
