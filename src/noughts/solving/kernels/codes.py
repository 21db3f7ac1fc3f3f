"""Encodes positions of flat games as numbers, with one number for all symmetric positions.

A *code* has a few bits for each cell, cell 0 lowest: 0 if it is empty, n + 1 if it holds mark n. In a flat game the
cells are the whole position: the number of marks determines the player to move.

The *least code* of a position is the smallest code among its images under the symmetries of the game. A table contains
the images of each chunk of a code (the cells that fit into 8 bits) under each symmetry. The image of a code is the sum
of a few entries; entries of all symmetries are neighbours, so the processor adds several at a time:

    images[256 * k + value, g]   image under symmetry g of chunk k with `value`   int64[256 * 6, symmetries]
"""

from __future__ import annotations

from typing import Final

from noughts.rules.kernels import layout as at
from noughts.rules.kernels.arrays import Ints, Matrix
from noughts.rules.kernels.bits import lowest_bit
from noughts.rules.kernels.jit import embedded, inlined, int64

# Kinds of positions; WON + p is a line that made player p the winner.
NOT_OVER: Final = 0
WON: Final = 1
DRAWN: Final = 3

CHUNK_BITS: Final = 8
CHUNK_VALUES: Final = 256
MOST_CHUNKS: Final = 6


@inlined
def kind_of(row: Ints) -> int:
    """Returns the kind of a row's position."""
    if row[at.STATUS] == at.IN_PLAY:
        return NOT_OVER
    return WON + row[at.WINNER] if row[at.STATUS] == at.LINE else DRAWN


@inlined
def code_of(rules: Ints, row: Ints, bits: int) -> int:
    """Returns the code of a row, without symmetry."""
    code: int = int64(0)
    for mark in range(rules[at.MARKS]):
        cells = row[rules[at.PLANES] + mark * rules[at.BLOCKS]]
        while cells != 0:
            code |= int64(mark + 1) << (bits * lowest_bit(cells))
            cells &= cells - 1
    return code


@inlined
def code_after(code: int, move: int, bits: int) -> int:
    """Returns the code after an encoded move is played."""
    return code + (((move & 15) + 1) << (bits * ((move >> 4) & 15)))


@inlined
def hash_of(code: int) -> int:
    """Returns a hash of all bits of a code, for hash tables: not negative, and its lower 40 bits are well mixed."""
    # Products of a 31-bit half and a 29-bit odd constant cannot overflow.
    return ((code & 0x7FFFFFFF) * 0x1E3779B1 + (code >> 31) * 0x15EBCA77) >> 20


@inlined
def chunk_width(bits: int) -> int:
    """Returns the number of bits of the chunks of a code: those of whole cells."""
    return (CHUNK_BITS // bits) * bits


@inlined
def chunk_row(code: int, width: int, k: int) -> int:
    """Returns the row of the table of images for chunk k of a code."""
    return CHUNK_VALUES * k + ((code >> (width * k)) & ((1 << width) - 1))


@embedded
def least_code(images: Matrix, code: int, bits: int) -> int:
    """Returns the smallest image of a code."""
    width = chunk_width(bits)
    a, b, c = chunk_row(code, width, 0), chunk_row(code, width, 1), chunk_row(code, width, 2)
    d, e, f = chunk_row(code, width, 3), chunk_row(code, width, 4), chunk_row(code, width, 5)
    least = code  # the first symmetry is the identity
    for g in range(images.shape[1]):
        image = images[a, g] + images[b, g] + images[c, g] + images[d, g] + images[e, g] + images[f, g]
        least = min(least, image)
    return least


@embedded
def count_fixing(images: Matrix, code: int, bits: int) -> int:
    """Returns the number of symmetries that leave a code unchanged."""
    # The rows, which need a division, are computed outside the loop; otherwise the compiler may divide each time.
    width = chunk_width(bits)
    a, b, c = chunk_row(code, width, 0), chunk_row(code, width, 1), chunk_row(code, width, 2)
    d, e, f = chunk_row(code, width, 3), chunk_row(code, width, 4), chunk_row(code, width, 5)
    count = 0
    for g in range(images.shape[1]):
        image = images[a, g] + images[b, g] + images[c, g] + images[d, g] + images[e, g] + images[f, g]
        count += int(image == code)
    return count
