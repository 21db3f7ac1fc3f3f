"""Wild Tic-Tac-Toe."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import GameData
from noughts.rules.geometry import columns, diagonals, rows
from noughts.rules.spec import Rules

RULES = Rules(
    name="wild",
    title="Wild Tic-Tac-Toe",
    summary="Both players place X or O; whoever completes a line of equal marks wins.",
    side=3,
    lines=rows(3) + columns(3) + diagonals(3),
    places=("XO", "XO"),
)

DATA = GameData(RULES, folder=Path(__file__).parent, page_order=5, sample="O../XX./.OX p1")
