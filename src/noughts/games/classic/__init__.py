"""Tic-Tac-Toe."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import GameData
from noughts.rules.geometry import columns, diagonals, rows
from noughts.rules.spec import Rules

RULES = Rules(
    name="classic",
    title="Tic-Tac-Toe",
    summary="Three of your own marks in a line win.",
    side=3,
    lines=rows(3) + columns(3) + diagonals(3),
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    environment="TicTacToe",
    openspiel="tic_tac_toe",
    page_order=7,
    sample="X.O/.XO/... p0",
)
