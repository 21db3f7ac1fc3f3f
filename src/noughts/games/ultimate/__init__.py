"""Ultimate Tic-Tac-Toe: a board without a line is a draw."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import EvalWeights, GameData
from noughts.rules.geometry import columns, diagonals, rows
from noughts.rules.spec import Rules

RULES = Rules(
    name="ultimate",
    title="Ultimate Tic-Tac-Toe",
    summary="Nine boards in one; the cell you take sends the opponent to that board.",
    side=3,
    lines=rows(3) + columns(3) + diagonals(3),
    nested=True,
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    levels=(
        *((1, 50_000), (1, 28_000), (2, 20_500), (2, 10_000), (3, 6_500)),
        *((4, 2_000), (5, 900), (7, 200), (9, 0)),
    ),
    weights=EvalWeights(missing=(10, 3, 2), draw=17, line=166_225, points=17, tempo=4_745, free=12_232, sent=6_224),
    curve=(0.8582, 0.3938),
    block_and_cell=True,
    openspiel="ultimate_tic_tac_toe",
    page_order=3,
)
