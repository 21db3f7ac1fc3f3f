"""The arrays that kernels take, as type checkers and the compiler see them.

All are C-contiguous, writable and in the machine's byte order. An entry point's signature follows from its annotations:
`COMPILED_TYPES` translates each.
"""

from __future__ import annotations

from typing import Final, Protocol, overload

import numpy as np

COMPILED_TYPES: Final = {
    "None": "void",
    "bool": "boolean",
    "int": "int64",
    "np.uint64": "uint64",
    "float": "float64",
    "Ints": "int64[::1]",
    "Ints32": "int32[::1]",
    "Ints16": "int16[::1]",
    "Bytes": "int8[::1]",
    "Streams": "uint64[::1]",
    "Reals": "float64[::1]",
    "Rows": "int64[:, ::1]",
    "Matrix": "int64[:, ::1]",
    "ByteRows": "int8[:, ::1]",
    "Records": "uint16[:, ::1]",
}
"""The types of compiled code, in Numba's notation, by annotation."""


class Ints(Protocol):
    """A one-dimensional int64 array."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Ints: ...
    def __setitem__(self, index: int, value: int, /) -> None: ...


class Ints32(Ints, Protocol):
    """A one-dimensional int32 array."""


class Ints16(Ints, Protocol):
    """A one-dimensional int16 array."""


class Bytes(Ints, Protocol):
    """A one-dimensional int8 array."""


class Streams(Protocol):
    """A one-dimensional uint64 array: the states of random streams."""

    def __getitem__(self, index: int, /) -> np.uint64: ...
    def __setitem__(self, index: int, value: np.uint64, /) -> None: ...


class Reals(Protocol):
    """A one-dimensional float64 array."""

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...


class Rows(Protocol):
    """A two-dimensional int64 array, used row by row."""

    shape: tuple[int, ...]

    def __getitem__(self, index: int, /) -> Ints: ...


class ByteRows(Rows, Protocol):
    """A two-dimensional int8 array, used row by row."""


class Records(Rows, Protocol):
    """A two-dimensional uint16 array, used row by row."""


class Matrix(Protocol):
    """A two-dimensional int64 array."""

    shape: tuple[int, ...]

    def __getitem__(self, index: tuple[int, int], /) -> int: ...
    def __setitem__(self, index: tuple[int, int], value: int, /) -> None: ...
