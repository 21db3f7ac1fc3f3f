"""Codes for the positions of flat games (see `kernels.codes`): how many bits they take, which positions share one.

Also how many positions a flat game can have, and the refusal of games that have too many to solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb, perm

import numpy as np
import numpy.typing as npt

from noughts.rules.spec import Rules
from noughts.rules.symmetry import Symmetry, symmetries
from noughts.solving.kernels.codes import CHUNK_BITS, CHUNK_VALUES, MOST_CHUNKS

MOST_POSITIONS = 5_000_000
"""Positions up to symmetry that are solved at most: about 1 GB and ten seconds."""

MOST_SYMMETRIES = 1500
"""With more, finding the least image takes longer than it saves."""


class TooLarge(ValueError):  # noqa: N818 - it says what is wrong with the game, not that something failed
    """A game that cannot be solved whole; the message says why and what would be needed."""


def code_bits(rules: Rules) -> int:
    """Bits for one cell of a code: 0 is empty, n + 1 is mark n."""
    return len(rules.marks).bit_length()


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
    """The table of images of all chunks under the symmetries that are used: int64[256 * 6, symmetries]."""
    bits = code_bits(rules)
    a_chunk = CHUNK_BITS // bits
    group = used_symmetries(rules)
    images = np.zeros((MOST_CHUNKS, CHUNK_VALUES, len(group)), np.int64)
    values = np.arange(CHUNK_VALUES)
    for g, symmetry in enumerate(group):
        # What a cell's bits become; those that are no mark never occur.
        digit_to = np.zeros(1 << bits, np.int64)
        digit_to[1 : len(rules.marks) + 1] = np.array(symmetry.mark_to) + 1
        for cell, target in enumerate(symmetry.cell_to):
            chunk, place = divmod(cell, a_chunk)
            digits = (values >> (bits * place)) & ((1 << bits) - 1)
            images[chunk, :, g] += digit_to[digits] << (bits * target)
    return images.reshape(MOST_CHUNKS * CHUNK_VALUES, len(group))


def most_positions(rules: Rules) -> list[int]:
    """For 0, 1, 2, ... marks on the board: how many positions of a flat game there can be.

    Lines are not looked at, so fewer can be reached. Only the shares of the players are: of m marks, player 0 placed
    half, rounded up.
    """
    return [comb(rules.cells, placed) * _fillings(rules, placed) for placed in range(rules.cells + 1)]


def require_flat(rules: Rules) -> None:
    """TooLarge if the game is nested."""
    if rules.nested:
        raise TooLarge(
            f"{rules.name} is a nested game: it has too many positions to be solved whole. The engine searches it: the "
            f"player alphabeta:level=10, or `noughts analyze {rules.name}`"
        )


def require_small(rules: Rules) -> None:
    """TooLarge unless the game is flat and small enough to be solved whole."""
    require_flat(rules)
    positions = -(-sum(most_positions(rules)) // len(used_symmetries(rules)))
    chunks = -(-rules.cells // (CHUNK_BITS // code_bits(rules)))
    if positions > MOST_POSITIONS or chunks > MOST_CHUNKS:
        raise TooLarge(
            f"{rules.name} has up to {positions:,} positions even when symmetric ones count once, and up to "
            f"{MOST_POSITIONS:,} can be solved whole. The engine searches it: the player alphabeta:level=10, or "
            f"`noughts analyze`"
        )


def _fillings(rules: Rules, placed: int) -> int:
    """In how many ways `placed` given cells can hold marks of both players."""
    first, second = map(set, rules.places)
    only_first, only_second, shared = len(first - second), len(second - first), len(first & second)
    total = 0
    for a in range((placed + 1) // 2 + 1):
        for b in range(placed // 2 + 1):
            rest = placed - a - b
            cells = comb(placed, a) * comb(placed - a, b)
            if rules.once:
                total += cells * perm(only_first, a) * perm(only_second, b) * perm(shared, rest)
            else:
                total += cells * only_first**a * only_second**b * shared**rest
    return total
