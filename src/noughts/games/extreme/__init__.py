"""Extreme Tic-Tac-Toe."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import EvalWeights, GameData
from noughts.rules.geometry import columns, diamonds, rows, weights
from noughts.rules.spec import Rules

RULES = Rules(
    name="extreme",
    title="Extreme Tic-Tac-Toe",
    summary="4x4x4x4; rows, columns and diamonds; winning a block gives one more move.",
    side=4,
    lines=rows(4) + columns(4) + diamonds(4),
    nested=True,
    bonus=True,
    win_points=(68, 0),
    block_points=weights(4, corner=6, edge=4, centre=3),
    move_seconds=16,
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    levels=(
        *((1, 50_000), (1, 22_000), (2, 15_500), (2, 6_500), (3, 5_000)),
        *((4, 3_500), (5, 1_200), (6, 600), (8, 0)),
    ),
    weights=EvalWeights(missing=(112, 5, 1, 1), draw=7, line=41_866, points=104_689, tempo=1_505, free=469, sent=-45),
    curve=(0.176, 0.8637),
    page_order=1,
)
