"""Positions of flat games as numbers, the same number for all symmetric ones.

A code has a few bits for each cell, cell 0 lowest: 0 if it is empty, n + 1 if it holds mark n. In a flat game the cells
are the whole position: whose move it is follows from the number of marks.

The *least code* of a position is the smallest code among its images under the symmetries of the game. A table gives for
each chunk of a code (the cells that fit into 8 bits) what each symmetry makes of it, so that an image is the sum
of a few entries, and all the images are sums of neighbouring ones, which the processor adds several at a time:

    images[256 * k + value, g]   what symmetry g makes of chunk k holding `value`   int64[256 * 6, symmetries]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt
from numba import int64

from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.core import fill_legal, move_of
from noughts.rules.kernels.jit import Ints, entry, inlined
from noughts.rules.kernels.layout import BLOCKS, MARKS, PLANES
from noughts.rules.spec import Rules
from noughts.rules.symmetry import Symmetry, symmetries
from noughts.solving.size import MOST_CHUNKS, code_bits

CHUNK_ROWS = 256

MOST_SYMMETRIES = 1500
"""With more, finding the least image takes longer than it saves."""


class Table(Protocol):
    """A two-dimensional int64 array, as the kernels see it."""

    shape: tuple[int, ...]

    def __getitem__(self, index: tuple[int, int], /) -> int: ...
    def __setitem__(self, index: tuple[int, int], value: int, /) -> None: ...


def used_symmetries(rules: Rules) -> Sequence[Symmetry]:
    """The symmetries that make positions one: all, or if they are many those that keep marks, or only the identity.

    Whichever they are, they are a group, so that symmetric positions have the same least code.
    """
    group = symmetries(rules)
    if len(group) > MOST_SYMMETRIES:
        group = [symmetry for symmetry in group if symmetry.mark_to == group[0].mark_to]
    return group if len(group) <= MOST_SYMMETRIES else group[:1]


@cache
def image_table(rules: Rules) -> npt.NDArray[np.int64]:
    """The table of images of all chunks under the symmetries that are used."""
    bits = code_bits(rules)
    a_chunk = 8 // bits
    group = used_symmetries(rules)
    images = np.zeros((MOST_CHUNKS, CHUNK_ROWS, len(group)), np.int64)
    values = np.arange(CHUNK_ROWS)
    for g, symmetry in enumerate(group):
        # What a cell's bits become; those that are no mark never occur.
        digit_to = np.zeros(1 << bits, np.int64)
        digit_to[1 : len(rules.marks) + 1] = np.array(symmetry.mark_to) + 1
        for cell, target in enumerate(symmetry.cell_to):
            chunk, place = divmod(cell, a_chunk)
            digits = (values >> (bits * place)) & ((1 << bits) - 1)
            images[chunk, :, g] += digit_to[digits] << (bits * target)
    return images.reshape(MOST_CHUNKS * CHUNK_ROWS, len(group))


@inlined
def code_of(rules: Ints, row: Ints, bits: int) -> int:
    """The code of a row as it stands."""
    code: int = int64(0)
    for mark in range(rules[MARKS]):
        cells = row[rules[PLANES] + mark * rules[BLOCKS]]
        while cells != 0:
            code |= int64(mark + 1) << (bits * lowest_bit(cells))
            cells &= cells - 1
    return code


@inlined
def code_after(code: int, move: int, bits: int) -> int:
    """The code after an encoded move is played."""
    return code + (((move & 15) + 1) << (bits * ((move >> 4) & 15)))


@inlined
def mixed(code: int) -> int:
    """A number from all bits of a code, for hash tables: it is not negative, and its lower 40 bits are well mixed."""
    # Products of a 31-bit half and a 29-bit odd constant cannot overflow.
    return ((code & 0x7FFFFFFF) * 0x1E3779B1 + (code >> 31) * 0x15EBCA77) >> 20


@inlined
def chunk_row(code: int, bits: int, k: int) -> int:
    """The row of the table of images for chunk k of a code."""
    width = (8 // bits) * bits
    return 256 * k + ((code >> (width * k)) & ((1 << width) - 1))


@inlined
def least_code(images: Table, code: int, bits: int) -> int:
    """The smallest image of a code."""
    a, b, c = chunk_row(code, bits, 0), chunk_row(code, bits, 1), chunk_row(code, bits, 2)
    d, e, f = chunk_row(code, bits, 3), chunk_row(code, bits, 4), chunk_row(code, bits, 5)
    least = code  # the first symmetry changes nothing
    for g in range(images.shape[1]):
        image = images[a, g] + images[b, g] + images[c, g] + images[d, g] + images[e, g] + images[f, g]
        least = min(least, image)
    return least


@inlined
def count_fixing(images: Table, code: int, bits: int) -> int:
    """How many symmetries leave a code as it is."""
    count = 0
    for g in range(images.shape[1]):
        image = int64(0)
        for k in range(6):
            image += images[chunk_row(code, bits, k), g]
        count += int(image == code)
    return count


@entry("int64(int64[::1], int64[::1], int64)")
def plain_code(rules: Ints, row: Ints, bits: int) -> int:
    """The code of a row as it stands."""
    return code_of(rules, row, bits)


@entry("int64(int64[::1], int64[:, ::1], int64, int64[::1])")
def position_code(rules: Ints, images: Table, bits: int, row: Ints) -> int:
    """The least code of a row."""
    return least_code(images, code_of(rules, row, bits), bits)


@entry("int64(int64[::1], int64[:, ::1], int64, int64[::1], int64[::1], int64[::1])")
def child_codes(rules: Ints, images: Table, bits: int, row: Ints, actions: Ints, codes: Ints) -> int:
    """Write the legal actions in rising order and the least code after each; return how many. The row is unchanged.

    `actions` and `codes` hold as many words as the game has actions.
    """
    code = code_of(rules, row, bits)
    count = fill_legal(rules, row, actions, 0)
    for i in range(count):
        codes[i] = least_code(images, code_after(code, move_of(rules, row, actions[i]), bits), bits)
    return count
