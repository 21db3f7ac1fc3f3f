"""Facts about marks for both evaluations and the move generator: a player's cells, and threats to win a block."""

from __future__ import annotations

from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.arrays import Ints
from noughts.rules.kernels.jit import embedded, inlined
from noughts.search.kernels import layout as at


@inlined
def completing_cells(params: Ints, cells: int) -> int:
    """Returns the cells, taken or not, that would complete a line for a player with `cells`."""
    return (params[at.COMPLETES + ((cells >> 2) & 16383)] >> ((cells & 3) << 4)) & 0xFFFF


@inlined
def cells_of(row: Ints, params: Ints, player: int, block: int) -> int:
    """Returns the cells of a block with a player's mark, in games where each player has one mark."""
    return row[(params[at.PLANE_OF + player] & 2047) + block]


@embedded
def update_threats(rules: Ints, row: Ints, params: Ints, work: Ints, block: int) -> None:
    """Updates THREATS for a block."""
    bit = 1 << block
    empty = 0 if row[rules_at.CLOSED] & bit != 0 else rules[rules_at.ALL_CELLS] & ~row[rules_at.TAKEN + block]
    first = bit if completing_cells(params, cells_of(row, params, 0, block)) & empty != 0 else 0
    second = bit if completing_cells(params, cells_of(row, params, 1, block)) & empty != 0 else 0
    work[at.THREATS] = (work[at.THREATS] & ~bit) | first
    work[at.THREATS + 1] = (work[at.THREATS + 1] & ~bit) | second
