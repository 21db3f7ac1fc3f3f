"""A state row as people see it: marks by row and column, owners of blocks, what is playable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noughts.rules import layout as at
from noughts.rules.kernel import state_playable
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.tables import Array

OPEN, FIRST, SECOND, DRAWN = -1, 0, 1, 2


@dataclass(frozen=True)
class View:
    """cells: a mark's number or EMPTY, row-major over the boards. owners: OPEN, FIRST, SECOND or DRAWN by block.
    playable: blocks that take the next mark. last: where the last mark went (row-major), None if unknown.
    """

    rules: Rules
    cells: tuple[int, ...]
    owners: tuple[int, ...]
    playable: frozenset[int]
    last: int | None
    player: int
    sent: int | None
    bonus: bool
    over: bool
    winner: int | None


def read(rules: Rules, facts: Array, row: Array) -> View:
    """What a row says."""
    words = row.tolist()
    first, marks = int(facts[at.PLANES]), len(rules.marks)
    planes = row[first : first + marks * rules.blocks].reshape(marks, rules.blocks)
    numbers = np.arange(1, marks + 1) @ on_boards(rules, facts, planes)
    playable = int(state_playable(facts, row))
    return View(
        rules=rules,
        cells=tuple((numbers + EMPTY).tolist()),
        owners=tuple(_owner(words, block) for block in range(rules.blocks)),
        playable=frozenset(block for block in range(rules.blocks) if playable >> block & 1),
        last=None if words[at.LAST] < 0 else int(facts[at.INDEX_OF + (words[at.LAST] >> 4)]),
        player=words[at.PLAYER],
        sent=words[at.SENT] - 1 if words[at.SENT] else None,
        bonus=bool(words[at.BONUS]),
        over=words[at.STATUS] != at.IN_PLAY,
        winner=None if words[at.WINNER] < 0 else words[at.WINNER],
    )


def on_boards(rules: Rules, facts: Array, masks: Array) -> Array:
    """Bits of blocks as cells of boards, row-major: masks int64[k, blocks] to 0 or 1 in int64[k, blocks * cells]."""
    bits = (masks[:, :, None] >> np.arange(rules.cells)) & 1
    spots = facts[at.SPOT_OF : at.SPOT_OF + rules.blocks * rules.cells]
    cells: Array = bits.reshape(len(masks), -1)[:, (spots >> 4) * rules.cells + (spots & 15)]
    return cells


def _owner(words: list[int], block: int) -> int:
    for player in (FIRST, SECOND):
        if words[at.WON + player] >> block & 1:
            return player
    return DRAWN if words[at.CLOSED] >> block & 1 else OPEN
