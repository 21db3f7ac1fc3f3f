"""A state row in readable form: marks by row and column, owners of blocks, playable blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from noughts.rules.calls import load_at_first_call
from noughts.rules.geometry import block_on, index_of_move, line_mask
from noughts.rules.kernels import layout as at
from noughts.rules.kernels.tables import Array
from noughts.rules.position import EMPTY, complete_lines
from noughts.rules.spec import Line, Rules

if TYPE_CHECKING:
    from noughts.rules.kernels.core import state_playable, state_points
else:
    load_at_first_call(globals(), "state_playable", "state_points")

OPEN, FIRST, SECOND, DRAWN = -1, 0, 1, 2


@dataclass(frozen=True)
class View:
    """A position in readable form.

    cells: a mark's number or EMPTY, row-major over the boards. owners: OPEN, FIRST, SECOND or DRAWN by block.
    playable: blocks that take the next mark. marks: those that may be placed next, none if the game is over.
    last: where the last mark went (row-major), None if unknown. sent: the destined block of each board.
    open_move: whether any open block is playable because the destined one is closed.
    reason, points: how a finished game ended and the points of the players, else None.
    lines: the complete lines that ended the game, of cells in a flat game, of blocks in a nested one.
    """

    rules: Rules
    cells: tuple[int, ...]
    owners: tuple[int, ...]
    playable: frozenset[int]
    marks: tuple[int, ...]
    last: int | None
    player: int
    sent: int | None
    open_move: bool
    bonus: bool
    over: bool
    winner: int | None
    reason: str | None
    points: tuple[int, int] | None
    lines: tuple[Line, ...]


def read(rules: Rules, facts: Array, row: Array) -> View:
    """Returns the View of a row."""
    words = row.tolist()
    first, marks = int(facts[at.PLANES]), len(rules.marks)
    if rules.nested:
        planes = row[first : first + marks * rules.blocks].reshape(marks, rules.blocks)
        cells = (np.arange(1, marks + 1) @ on_boards(rules, facts, planes) + EMPTY).tolist()
    else:
        cells = _marks_of_block(words[first : first + marks], rules.cells)
    playable = int(state_playable(facts, row))
    over = words[at.STATUS] != at.IN_PLAY
    allowed = 0 if over else int(facts[at.PLACES + words[at.PLAYER]]) & ~words[at.USED]
    return View(
        rules=rules,
        cells=tuple(cells),
        owners=tuple(_owner(words, block) for block in range(rules.blocks)),
        playable=frozenset(block for block in range(rules.blocks) if playable >> block & 1),
        marks=tuple(mark for mark in range(marks) if allowed >> mark & 1),
        last=None if words[at.LAST] < 0 else index_of_move(rules, words[at.LAST]),
        player=words[at.PLAYER],
        sent=words[at.SENT] - 1 if words[at.SENT] else None,
        open_move=bool(words[at.SENT]) and not playable & int(facts[at.SENT_TO + words[at.SENT]]),
        bonus=bool(words[at.BONUS]),
        over=over,
        winner=None if words[at.WINNER] < 0 else words[at.WINNER],
        reason=at.REASONS[words[at.STATUS]] if over else None,
        points=(int(state_points(facts, row, 0)), int(state_points(facts, row, 1))) if over else None,
        lines=tuple(_ending_lines(rules, words, cells)) if words[at.STATUS] == at.LINE else (),
    )


def _marks_of_block(planes: list[int], size: int) -> list[int]:
    cells = [EMPTY] * size
    for mark, plane in enumerate(planes):
        for cell in range(size):
            if plane >> cell & 1:
                cells[cell] = mark
    return cells


def on_boards(rules: Rules, facts: Array, masks: Array) -> Array:
    """Spreads masks of cells by block over the boards: masks int64[k, blocks] to 0 or 1 in int64[k, blocks * cells]."""
    bits = (masks[:, :, None] >> np.arange(rules.cells)) & 1
    spots = facts[at.SPOT_OF : at.SPOT_OF + rules.blocks * rules.cells]
    cells: Array = bits.reshape(len(masks), -1)[:, (spots >> 4) * rules.cells + (spots & 15)]
    return cells


def _owner(words: list[int], block: int) -> int:
    for player in (FIRST, SECOND):
        if words[at.WON + player] >> block & 1:
            return player
    return DRAWN if words[at.CLOSED] >> block & 1 else OPEN


def _ending_lines(rules: Rules, words: list[int], cells: list[int]) -> list[Line]:
    if not rules.nested:
        return complete_lines(rules, cells)
    won = words[at.WON + (words[at.WINNER] ^ rules.misere)]
    return [
        tuple(block_on(rules, board, block) for block in line)
        for board in range(rules.boards)
        for line in rules.lines
        if won >> block_on(rules, board, 0) & line_mask(line) == line_mask(line)
    ]
