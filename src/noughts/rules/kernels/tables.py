"""Builds the fact table that the kernel reads from the facts of a game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from noughts.rules.geometry import board_and_block, destined_blocks, line_mask, place_of
from noughts.rules.kernels import layout as at
from noughts.rules.spec import Rules

Array = npt.NDArray[np.int64]


def fact_table(rules: Rules) -> Array:
    """Returns the int64 array that describes a game to the kernel; `layout.py` has its layout."""
    facts = np.zeros(at.FACT_WORDS, np.int64)
    cells, blocks, marks = rules.cells, rules.blocks, len(rules.marks)
    facts[at.CELLS] = cells
    facts[at.BLOCKS] = blocks
    facts[at.NESTED] = rules.nested
    facts[at.ALL_CELLS] = (1 << cells) - 1
    facts[at.ALL_BLOCKS] = (1 << blocks) - 1
    facts[at.MARKS] = marks
    facts[at.CHOICES] = rules.choices
    for player, places in enumerate(rules.places):
        facts[at.PLACES + player] = sum(1 << rules.marks.index(mark) for mark in places)
    facts[at.ONCE] = rules.once
    facts[at.SUM] = rules.line_sum or 0
    facts[at.MISERE] = rules.misere
    facts[at.EXTRA_MOVE] = rules.bonus
    facts[at.MAJORITY] = rules.majority
    facts[at.WIN_POINTS], facts[at.LOSS_POINTS] = rules.win_points
    facts[at.ACTIONS] = rules.num_actions

    facts[at.PLANES] = at.TAKEN + blocks
    facts[at.SUMS] = facts[at.PLANES] + marks * blocks
    facts[at.ROW_WORDS] = facts[at.SUMS] + (len(rules.lines) if rules.line_sum else 0)
    facts[at.STACK] = facts[at.ROW_WORDS]
    facts[at.LEGAL] = facts[at.STACK] + blocks * cells + 1
    facts[at.STATE_WORDS] = facts[at.LEGAL] + rules.num_actions

    _add_places(rules, facts)
    _add_lines(rules, facts)
    return facts


def _add_places(rules: Rules, facts: Array) -> None:
    """Adds the positions of blocks and cells, the destinations of moves and the points of blocks."""
    cells = rules.cells
    facts[at.SENT_TO] = facts[at.ALL_BLOCKS]
    for cell in range(cells if rules.nested else 0):
        facts[at.SENT_TO + 1 + cell] = sum(1 << block for block in destined_blocks(rules, cell))
    for block in range(rules.blocks):
        _, number = board_and_block(rules, block)
        facts[at.BOARD_SHIFT + block] = block - number
        facts[at.POINTS + block] = (rules.block_points or [0] * cells)[number]
    for index in range(rules.blocks * cells):
        *_, block, cell = place_of(rules, index)
        spot = block << 4 | cell
        facts[at.SPOT_OF + index] = spot
        facts[at.INDEX_OF + spot] = index


def _add_lines(rules: Rules, facts: Array) -> None:
    """Adds the lines of each cell, the lines as masks, and for every set of cells whether it contains a line."""
    for cell in range(rules.cells):
        through = [number for number, line in enumerate(rules.lines) if cell in line]
        start = at.LINES_AT + at.CELL_LINE_WORDS * cell
        facts[start : start + 1 + len(through)] = [len(through), *through]
    line_masks = [line_mask(line) for line in rules.lines]
    facts[at.LINE_MASK : at.LINE_MASK + len(line_masks)] = line_masks
    sets = np.arange(1 << rules.cells, dtype=np.int64)
    winning = np.zeros(max(1 << rules.cells, 64), bool)
    for mask in line_masks:
        winning[: len(sets)] |= sets & mask == mask
    words = np.packbits(winning, bitorder="little").view(np.int64)
    facts[at.WINS : at.WINS + len(words)] = words
