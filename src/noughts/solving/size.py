"""How many positions a flat game can have, and the refusal of games that have too many to solve."""

from __future__ import annotations

from math import comb, perm

from noughts.rules.spec import Rules

MOST_POSITIONS = 5_000_000
"""Positions up to symmetry that are solved at most: about 1 GB and ten seconds."""

MOST_CHUNKS = 6
"""A position code is at most so many chunks of 8 bits: see `codes`."""


class TooLarge(ValueError):  # noqa: N818 - it says what is wrong with the game, not that something failed
    """A game that cannot be solved whole; the message says why and what would be needed."""


def code_bits(rules: Rules) -> int:
    """Bits for one cell of a position code: 0 is empty, n + 1 is mark n."""
    return len(rules.marks).bit_length()


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
            f"{rules.name} is a nested game: it has too many positions to be solved whole, "
            "and judging its moves needs a search engine"
        )


def require_small(rules: Rules, symmetries: int) -> None:
    """TooLarge unless a flat game is small enough; `symmetries` is how many make positions one."""
    positions = -(-sum(most_positions(rules)) // symmetries)
    chunks = -(-rules.cells // (8 // code_bits(rules)))
    if positions > MOST_POSITIONS or chunks > MOST_CHUNKS:
        raise TooLarge(
            f"{rules.name} has up to {positions:,} positions even when symmetric ones count once, and up to "
            f"{MOST_POSITIONS:,} can be solved whole; fewer cells or marks would do, or else it needs a search engine"
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
