"""Misère Tic-Tac-Toe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from noughts.games import classic
from noughts.games.data import GameData

RULES = replace(
    classic.RULES,
    name="misere",
    title="Misère Tic-Tac-Toe",
    summary="Three of your own marks in a line lose.",
    misere=True,
)

DATA = GameData(RULES, folder=Path(__file__).parent, page_order=8, sample="XO./OX./.X. p1")
