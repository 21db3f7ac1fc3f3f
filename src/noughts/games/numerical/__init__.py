"""Numerical Tic-Tac-Toe."""

from __future__ import annotations

from pathlib import Path

from noughts.games.data import GameData
from noughts.rules.geometry import columns, diagonals, rows
from noughts.rules.spec import Rules

RULES = Rules(
    name="numerical",
    title="Numerical Tic-Tac-Toe",
    summary="Odd numbers against even ones; whoever fills a line that sums to 15 wins.",
    side=3,
    lines=rows(3) + columns(3) + diagonals(3),
    marks="123456789",
    places=("13579", "2468"),
    once=True,
    line_sum=15,
)

DATA = GameData(
    RULES,
    folder=Path(__file__).parent,
    published_pairs=(
        "x-3-x-x-x-6-x-x-x 1@0",
        "x-x-x-x-6-x-x-x-5 7@2",
        "5-x-x-x-x-6-x-x-x 9@4",
        "x-5-x-2-x-x-4-7-x 9@0",
    ),
    page_order=6,
    sample="5../.7./2.6 p0",
)
