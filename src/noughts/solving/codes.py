"""Codes for the positions of flat games (see `kernels.codes`): their number of bits, and which positions share one.

Also bounds the number of positions of a flat game, and refuses games that have too many to solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, perm

import numpy as np
import numpy.typing as npt

from noughts.errors import NoughtsError
from noughts.rules.geometry import line_mask
from noughts.rules.spec import Rules
from noughts.rules.symmetry import Symmetry, symmetries
from noughts.solving.kernels.codes import CHUNK_BITS, CHUNK_VALUES, MOST_CHUNKS

MOST_POSITIONS = 10_500_000
"""Maximum number of positions, up to symmetry, of a game that can be solved: about 1.5 GB and twenty seconds. All games
of X against O on 4x4 have fewer."""

MOST_SYMMETRIES = 1500
"""With more symmetries, finding the least image takes longer than it saves."""


TABLES_KEPT = 2
"""Number of cached tables of images. One can take 18 MB."""


class TooLarge(NoughtsError, ValueError):  # noqa: N818 - it says what is wrong with the game, not that something failed
    """A game that is too large to solve; the message says why and what to use instead.

    >>> import noughts
    >>> noughts.solve("extreme")
    Traceback (most recent call last):
    noughts.solving.codes.TooLarge: ...
    """


def code_bits(rules: Rules) -> int:
    """Returns the bits per cell of a code: 0 is empty, n + 1 is mark n."""
    return len(rules.marks).bit_length()


def used_symmetries(rules: Rules) -> Sequence[Symmetry]:
    """Returns the symmetries that identify positions: a group, so that symmetric positions have the same least code."""
    return symmetries(rules, MOST_SYMMETRIES)


@lru_cache(TABLES_KEPT)
def image_table(rules: Rules) -> npt.NDArray[np.int64]:
    """Returns the table of images of all chunks under the symmetries in use: int64[256 * 6, symmetries]."""
    bits = code_bits(rules)
    a_chunk = CHUNK_BITS // bits
    group = used_symmetries(rules)
    images = np.zeros((MOST_CHUNKS, CHUNK_VALUES, len(group)), np.int64)
    values = np.arange(CHUNK_VALUES)
    for g, symmetry in enumerate(group):
        # The image of a cell's bits. Bits that are not a mark never occur.
        digit_to = np.zeros(1 << bits, np.int64)
        digit_to[1 : len(rules.marks) + 1] = np.array(symmetry.mark_to) + 1
        for cell, target in enumerate(symmetry.cell_to):
            chunk, place = divmod(cell, a_chunk)
            digits = (values >> (bits * place)) & ((1 << bits) - 1)
            images[chunk, :, g] += digit_to[digits] << (bits * target)
    return images.reshape(MOST_CHUNKS * CHUNK_VALUES, len(group))


@lru_cache(16)
def most_positions(rules: Rules) -> tuple[int, ...]:
    """Returns upper bounds on the positions of a flat game with 0, 1, 2, ... marks on the board.

    Of m marks player 0 placed half, rounded up. With two marks and lines of equal marks the counts are exact; elsewhere
    lines are ignored, so fewer positions can be reached.
    """
    if len(rules.marks) == 2 and rules.line_sum is None:
        return tuple(_positions_of_two_marks(rules))
    return tuple(comb(rules.cells, placed) * _fillings(rules, placed) for placed in range(rules.cells + 1))


def _positions_of_two_marks(rules: Rules) -> list[int]:
    """Counts pairs of disjoint sets of cells, one per mark, in which only the last move may have completed a line.

    To count the subsets of each set, each number is added to those of the larger sets, cell by cell.
    """
    sets = np.arange(1 << rules.cells)
    size = np.array([int(one).bit_count() for one in sets])
    in_play = np.ones(len(sets), bool)
    for line in map(line_mask, rules.lines):
        in_play &= sets & line != line
    ended = np.zeros(len(sets), bool)
    for cell in range(rules.cells):
        ended |= ~in_play & (sets >> cell & 1 == 1) & in_play[sets & ~(1 << cell)]
    counts = [0] * (rules.cells + 1)
    for b in range(rules.cells + 1):
        beside, ended_beside = (_inside(kind & (size == b), rules.cells)[::-1] for kind in (in_play, ended))
        kinds = ((None, in_play, beside), (0, ended, beside), (1, in_play, ended_beside))
        for line_of, first, second in kinds:
            by_size = np.bincount(size, second * first, rules.cells + 1)
            for a in range(rules.cells + 1 - b):
                if _shares_fit(rules, a, b, line_of):
                    counts[a + b] += int(by_size[a])
    return counts


def _inside(chosen: npt.NDArray[np.bool_], cells: int) -> npt.NDArray[np.int64]:
    """Returns for every set of cells the number of its chosen subsets."""
    counts = chosen.astype(np.int64)
    for cell in range(cells):
        halves = counts.reshape(-1, 2, 1 << cell)
        halves[:, 1] += halves[:, 0]
    return counts


def _shares_fit(rules: Rules, a: int, b: int, last: int | None) -> bool:
    """Returns whether the players can have placed `a` of the first mark and `b` of the second, ending with `last`."""
    turns = (a + b + 1) // 2, (a + b) // 2
    if last is not None and rules.marks[last] not in rules.places[(a + b + 1) % 2]:
        return False
    own = [0, 0]
    for mark, count in zip(rules.marks, (a, b), strict=True):
        placers = [player for player in (0, 1) if mark in rules.places[player]]
        if len(placers) == 1:
            own[placers[0]] += count
    return own[0] <= turns[0] and own[1] <= turns[1]


def require_flat(rules: Rules) -> None:
    """Raises TooLarge if the game is nested."""
    if rules.nested:
        raise TooLarge(
            f"{rules.name} is a nested game: it has too many positions to solve. Search it instead: use the "
            f"player alphabeta:level=10, or `noughts analyze {rules.name}`"
        )


def require_small(rules: Rules) -> None:
    """Raises TooLarge unless the game is flat and small enough to solve."""
    require_flat(rules)
    positions = -(-sum(most_positions(rules)) // len(used_symmetries(rules)))
    chunks = -(-rules.cells // (CHUNK_BITS // code_bits(rules)))
    if positions > MOST_POSITIONS or chunks > MOST_CHUNKS:
        raise TooLarge(
            f"{rules.name} has up to {positions:,} positions up to symmetry; the maximum is "
            f"{MOST_POSITIONS:,}. Search it instead: use the player alphabeta:level=10, or "
            f"`noughts analyze`"
        )


def _fillings(rules: Rules, placed: int) -> int:
    """Returns the number of ways to fill `placed` given cells with marks of both players."""
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
