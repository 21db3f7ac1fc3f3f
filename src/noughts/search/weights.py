"""What the evaluation weighs, for each game. Scores are in hundred-thousandths of a certain win.

A line that a player can still fill is worth `missing[n]` to them if n cells are missing; summed over the lines of a
block, a for one player and b for the other, the chances to own it are a / (a + b + draw) and b / (a + b + draw).
The chance of a line of blocks is the product of the chances of its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.rules.geometry import line_mask
from noughts.rules.kernels import layout as kernel
from noughts.rules.spec import Rules
from noughts.search.kernels import layout as at


@dataclass(frozen=True)
class Weights:
    """missing: worth of a line by how many cells it lacks, from 1. draw: how easily a block stays without an owner.
    line: a certain line of blocks. points: all blocks, shared out by their points (or evenly).
    tempo: being to move. free: being to move anywhere. sent: line sums of the destined blocks, per 256.
    """

    missing: tuple[int, ...]
    draw: int
    line: int
    points: int
    tempo: int
    free: int
    sent: int


BY_GAME = {
    "ultimate": Weights(missing=(10, 3, 2), draw=17, line=166_225, points=17, tempo=4_745, free=12_232, sent=6_224),
    "xtreme": Weights(missing=(83, 6, 1), draw=17, line=49_470, points=107_251, tempo=5_085, free=124, sent=339),
    "extreme": Weights(missing=(112, 5, 1, 1), draw=7, line=41_866, points=104_689, tempo=1_505, free=469, sent=-45),
}
"""Fitted to games of self-play by benchmarks/tune_evaluation.py."""

BY_SIDE = {
    2: Weights(missing=(20, 5), draw=8, line=60_000, points=12_000, tempo=600, free=1_500, sent=0),
    3: BY_GAME["xtreme"],
    4: BY_GAME["extreme"],
}


def weights_for(rules: Rules) -> Weights:
    """The weights of a game; those of the most similar one if it has none of its own."""
    return BY_GAME.get(rules.name, BY_SIDE[rules.side])


# From a game and its weights to the one array that the compiled search reads; `layout.py` says what lies where.

KEY_SEED = 15_0906
"""Any will do; another one changes the collisions in the table, and so the node signatures."""

Array = npt.NDArray[np.int64]


def knowledge_table(rules: Rules, weights: Weights) -> Array:
    """What a search knows of a game: int64[KNOWLEDGE_WORDS]."""
    table = np.zeros(at.KNOWLEDGE_WORDS, np.int64)
    table[at.JUDGED] = rules.own_marks and rules.line_sum is None and not rules.misere
    table[at.LINE_WEIGHT] = weights.line if rules.nested else 0
    table[at.TEMPO] = weights.tempo
    table[at.FREE] = weights.free if rules.nested else 0
    table[at.SENT_WEIGHT] = weights.sent if rules.nested else 0
    largest_margin = rules.boards * sum(rules.block_points or ())
    table[at.END_UNIT] = at.CERTAIN_SCORE // (largest_margin + 1)

    if rules.own_marks:
        planes = [kernel.TAKEN + rules.blocks * (1 + rules.marks.index(mark)) for mark in rules.places]
        table[at.PLANE_OF : at.PLANE_OF + 2] = planes
    missing = np.zeros(17, np.int64)
    missing[1 : 1 + len(weights.missing)] = weights.missing
    table[at.MISSING : at.MISSING + 17] = missing
    table[at.GAIN : at.GAIN + 2048] = _gain_table(missing)
    through = [[number for number, line in enumerate(rules.lines) if cell in line] for cell in range(rules.cells)]
    table[at.LINES_OF_CELL] = most = max(map(len, through))
    table[at.CELL_LINES : at.WORTH] = at.NO_LINE
    for cell, numbers in enumerate(through):
        start = at.CELL_LINES + 33 * cell
        table[start : start + len(numbers)] = numbers
    shares = np.array(rules.block_points or [1] * rules.cells) if rules.nested else np.ones(1, np.int64)
    worth = weights.points * np.tile(shares, rules.boards) // (rules.boards * shares.sum())
    table[at.WORTH : at.WORTH + len(worth)] = worth
    if rules.nested:
        for cell in range(rules.cells):
            table[at.SEND + cell] = sum(1 << (board * rules.cells + cell) for board in range(rules.boards))
        table[at.LINES_OF_BLOCK] = most
        for block in range(rules.blocks):
            words = _lines_of_blocks(rules, block)
            start = at.BLOCK_LINES + at.BLOCK_LINE_WORDS * block
            table[start : start + len(words)] = words
    table[at.COMPLETES : at.COMPLETES + 16384] = _completing_table(rules)
    table[at.CHANCES : at.CHANCES + 16384] = _chance_table(weights)
    random = np.random.default_rng(KEY_SEED)
    table[at.KEYS :] = random.integers(-(1 << 63), (1 << 63) - 1, at.KNOWLEDGE_WORDS - at.KEYS, dtype=np.int64)
    return table


def _gain_table(missing: Array) -> Array:
    """By the index of `line_gain`: what the mover's sum gains << 32, less what the other's loses."""
    gains = np.zeros(2048, np.int64)
    for lacking in range(1, 17):
        for taken in range(17):
            own = int(missing[lacking - 1] - missing[lacking]) if taken == 0 else 0
            gains[lacking << 5 | taken] = own << 32
            lost = int(missing[lacking - taken]) if taken <= lacking else 0
            gains[1024 | lacking << 5 | taken] = (own << 32) - lost
    return gains


def _lines_of_blocks(rules: Rules, block: int) -> Array:
    """The three other blocks of each line of blocks through `block`."""
    first = block // rules.cells * rules.cells
    through = [line for line in rules.lines if block - first in line and len(line) <= at.LONGEST_LINE]
    words = np.full((at.BLOCK_LINE_WORDS // 3, 3), at.NO_BLOCK)
    for number, line in enumerate(through):
        others = [first + other for other in line if other != block - first]
        words[number] = others + [at.SURE_BLOCK] * (at.LONGEST_LINE - 1 - len(others))
    return words.ravel()


def _completing_table(rules: Rules) -> Array:
    """For each mask of a player's cells the cells that would complete a line, 16 bits each, four to a word."""
    masks = np.arange(1 << rules.cells)
    cells = np.zeros(1 << 16, np.uint16)
    for mask in map(line_mask, rules.lines):
        lacking = mask & ~masks
        single = (lacking & (lacking - 1)) == 0
        cells[: len(masks)] |= np.where(single, lacking, 0).astype(np.uint16)
    return cells.view(np.int64)


def _chance_table(weights: Weights) -> Array:
    """Chances of both players to own a block, by their line sums, as in `layout.py`."""
    sums = np.arange(at.LARGEST_SUM + 1)
    a, b = sums[:, None], sums[None, :]
    total = a + b + weights.draw
    return ((a * at.CERTAIN // total) << 16 | (b * at.CERTAIN // total)).ravel()
