"""Wild Misère Tic-Tac-Toe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from noughts.games import wild
from noughts.games.data import GameData

RULES = replace(
    wild.RULES,
    name="wild-misere",
    title="Wild Misère Tic-Tac-Toe",
    summary="Both players place X or O; whoever completes a line of equal marks loses.",
    misere=True,
)

DATA = GameData(RULES, folder=Path(__file__).parent, page_order=9, sample="OX./.O./X.. p0")
