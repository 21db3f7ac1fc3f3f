"""The weights of the handmade evaluation, and the array of search parameters.

Scores are in units of 1/100,000 of a certain win.

A line that a player can still fill is worth `missing[n]` to them if n cells are missing. If the sums over the lines of
a block are a for one player and b for the other, their chances to own it are a / (a + b + draw) and b / (a + b + draw).
The chance of a line of blocks is the product of the chances of its blocks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from noughts.games import LISTED, data_of
from noughts.games.data import EvalWeights
from noughts.rules.geometry import line_mask
from noughts.rules.kernels import layout as rules_at
from noughts.rules.spec import Rules
from noughts.search.kernels import layout as at
from noughts.search.kernels.movegen import BLOCK_WIN_ORDER
from noughts.search.kernels.network_layout import NETWORK_PARAM_WORDS

SMALL_BLOCKS = EvalWeights(missing=(20, 5), draw=8, line=60_000, points=12_000, tempo=600, free=1_500, sent=0)
"""For blocks of side 2, of which no game has weights."""


def has_evaluation(rules: Rules) -> bool:
    """Returns whether a game has a static evaluation, which needs a mark per player, so that lines belong to players.

    Flat misère games have none, since they are small enough to search to the end; nor do games with very many lines.
    """
    own_lines = rules.own_marks and rules.line_sum is None
    return own_lines and (rules.nested or not rules.misere) and len(rules.lines) <= at.MOST_LINES


def weights_for(rules: Rules) -> EvalWeights:
    """Returns the weights of a game, or of the most similar game if it has none.

    If those are of a game that is not misère, lines of blocks and blocks without points get the opposite sign, and the
    move is worth nothing.
    """
    weights = data_of(rules).weights
    if weights is not None:
        return weights
    similar = _similar_weights(rules)
    if not rules.misere:
        return similar
    points = similar.points if rules.block_points else -similar.points
    return replace(similar, line=-similar.line, points=points, tempo=0)


def _similar_weights(rules: Rules) -> EvalWeights:
    """Returns the weights of a listed game with blocks of the same size: if possible without points, as these rules."""
    same_size = [data for data in LISTED if data.weights and data.rules.side == rules.side]
    unpaid = rules.nested and not rules.block_points
    same_size.sort(key=lambda data: bool(data.rules.block_points) == unpaid)
    return same_size[0].weights or SMALL_BLOCKS if same_size else SMALL_BLOCKS


# The array for the compiled search, built from a game and its weights; see `layout.py`.

KEY_SEED = 15_0906
"""Arbitrary; another seed changes the collisions in the table, and so the node signatures."""

TUNED = {
    "futility_margin": 580,
    "futility_step": 3_900,
    "futility_depth": 4,
    "reverse_margin": 5_800,
    "reverse_depth": 6,
    "singular_margin": 24,
    "singular_depth": 6,
    "double_margin": 2_900,
    "reduction_base": 690,
    "reduction_step": 950,
    "reduction_gap": 56,
    "history_weight": 3,
    "aspiration_window": 4_300,
    "tactical_bonus": 60_000,
}
"""The tunable parameters of the search, described in `layout.py`; training/tune.py finds values. A game's data may have
others."""

Array = npt.NDArray[np.int64]


def search_params(rules: Rules, weights: EvalWeights) -> Array:
    """Returns the parameters of a search with the handmade evaluation, with room for a network's words."""
    params = np.zeros(NETWORK_PARAM_WORDS, np.int64)
    params[at.EVALUATED] = at.HANDMADE if has_evaluation(rules) else at.UNEVALUATED
    for name, value in (TUNED | dict(data_of(rules).search_parameters)).items():
        if name not in at.TUNABLE:
            raise ValueError(f"there is no search parameter {name!r}; they are {', '.join(at.TUNABLE)}")
        params[at.TUNABLE[name]] = value
    params[at.WIN_ORDER] = -BLOCK_WIN_ORDER if rules.misere else BLOCK_WIN_ORDER
    params[at.LINE_WEIGHT] = weights.line if rules.nested else 0
    params[at.TEMPO] = weights.tempo
    params[at.FREE] = weights.free if rules.nested else 0
    params[at.SENT_WEIGHT] = weights.sent if rules.nested else 0
    largest_margin = rules.boards * sum(rules.block_points or ())
    params[at.END_UNIT] = at.RESULT_UNIT // (largest_margin + 1)

    if rules.own_marks:
        planes = [rules_at.TAKEN + rules.blocks * (1 + rules.marks.index(mark)) for mark in rules.places]
        params[at.PLANE_OF : at.PLANE_OF + 2] = planes
    missing = np.zeros(17, np.int64)
    missing[1 : 1 + len(weights.missing)] = weights.missing
    params[at.MISSING : at.MISSING + 17] = missing
    params[at.GAIN_TABLE : at.GAIN_TABLE + 2048] = _gain_table(missing)
    lines = rules.lines if len(rules.lines) <= at.MOST_LINES else ()
    through = [[number for number, line in enumerate(lines) if cell in line] for cell in range(rules.cells)]
    params[at.LINES_OF_CELL] = most = max(map(len, through))
    params[at.CELL_LINES : at.WORTH] = at.NO_LINE
    for cell, numbers in enumerate(through):
        start = at.CELL_LINES + 33 * cell
        params[start : start + len(numbers)] = numbers
    shares = np.array(rules.block_points or [1] * rules.cells) if rules.nested else np.ones(1, np.int64)
    worth = weights.points * np.tile(shares, rules.boards) // (rules.boards * shares.sum())
    params[at.WORTH : at.WORTH + len(worth)] = worth
    if rules.nested:
        for cell in range(rules.cells):
            params[at.SEND + cell] = sum(1 << (board * rules.cells + cell) for board in range(rules.boards))
        params[at.LINES_OF_BLOCK] = most
        for block in range(rules.blocks):
            words = _lines_of_blocks(rules, block)
            start = at.BLOCK_LINES + at.BLOCK_LINE_WORDS * block
            params[start : start + len(words)] = words
    params[at.COMPLETES : at.COMPLETES + 16384] = _completing_table(rules)
    params[at.CHANCE_TABLE : at.CHANCE_TABLE + 16384] = _chance_table(weights)
    random = np.random.default_rng(KEY_SEED)
    keys = random.integers(-(1 << 63), (1 << 63) - 1, at.PARAM_WORDS - at.ZOBRIST, dtype=np.int64)
    params[at.ZOBRIST : at.PARAM_WORDS] = keys
    return params


def _gain_table(missing: Array) -> Array:
    """Returns, by the index of `line_gain`: the mover's gain << 32, minus the other's loss."""
    gains = np.zeros(2048, np.int64)
    for lacking in range(1, 17):
        for taken in range(17):
            own = int(missing[lacking - 1] - missing[lacking]) if taken == 0 else 0
            gains[lacking << 5 | taken] = own << 32
            lost = int(missing[lacking - taken]) if taken <= lacking else 0
            gains[1024 | lacking << 5 | taken] = (own << 32) - lost
    return gains


def _lines_of_blocks(rules: Rules, block: int) -> Array:
    """Returns the three other blocks of each line of blocks through `block`."""
    first = block // rules.cells * rules.cells
    through = [line for line in rules.lines if block - first in line and len(line) <= at.LONGEST_LINE]
    words = np.full((at.BLOCK_LINE_WORDS // 3, 3), at.NO_BLOCK)
    for number, line in enumerate(through):
        others = [first + other for other in line if other != block - first]
        words[number] = others + [at.SURE_BLOCK] * (at.LONGEST_LINE - 1 - len(others))
    return words.ravel()


def _completing_table(rules: Rules) -> Array:
    """Returns, for each mask of a player's cells, the cells that would complete a line: 16 bits each, four per word."""
    masks = np.arange(1 << rules.cells)
    cells = np.zeros(1 << 16, np.uint16)
    for mask in map(line_mask, rules.lines):
        lacking = mask & ~masks
        single = (lacking & (lacking - 1)) == 0
        cells[: len(masks)] |= np.where(single, lacking, 0).astype(np.uint16)
    return cells.view(np.int64)


def _chance_table(weights: EvalWeights) -> Array:
    """Returns both players' chances to own a block by their line sums; see `layout.py`."""
    sums = np.arange(at.LARGEST_SUM + 1)
    a, b = sums[:, None], sums[None, :]
    total = a + b + weights.draw
    return ((a * at.CHANCE_ONE // total) << 16 | (b * at.CHANCE_ONE // total)).ravel()
