"""Xtreme Tic-Tac-Toe."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import EvalWeights, GameData
from noughts.rules.geometry import columns, diagonals, rows, weights
from noughts.rules.spec import Rules

RULES = Rules(
    name="xtreme",
    title="Xtreme Tic-Tac-Toe",
    summary="Two boards of 3x3x3x3; winning a block gives one more move.",
    side=3,
    lines=rows(3) + columns(3) + diagonals(3),
    nested=True,
    boards=2,
    bonus=True,
    win_points=(86, 0),
    block_points=weights(3, corner=4, edge=6, centre=3),
    move_seconds=24,
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    levels=(
        *((1, 50_000), (1, 26_000), (1, 14_000), (2, 10_000), (3, 6_500)),
        *((4, 3_000), (5, 1_000), (7, 300), (9, 0)),
    ),
    weights=EvalWeights(missing=(83, 6, 1), draw=17, line=49_470, points=107_251, tempo=5_085, free=124, sent=339),
    curve=(0.0129, 0.9996),
    page_order=2,
)
