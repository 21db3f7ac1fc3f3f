"""Ultimate Tic-Tac-Toe with TextArena's ending: without a line, more won boards win."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from noughts.games import ultimate, xtreme
from noughts.games.data import GameData
from noughts.rules.geometry import weights

RULES = replace(
    ultimate.RULES,
    name="ultimate-boards",
    title="Ultimate Tic-Tac-Toe, most boards",
    summary="As Ultimate; on a full board without a line, more won boards win.",
    win_points=(10, 0),
    block_points=weights(3, corner=1, edge=1, centre=1),
    majority=True,
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    levels=ultimate.DATA.levels,
    weights=xtreme.DATA.weights,
    curve=(0.4449, 0.5941),
    block_and_cell=True,
    page_order=4,
)
