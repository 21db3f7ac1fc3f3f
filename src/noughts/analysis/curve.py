"""The expected result of a position from the engine's score, by a curve that is fitted for each game.

As Stockfish's model of won, drawn and lost: with x the log odds that the score stands for (the score is an expected
result itself, 2 P - 1, as evaluated by itself),

    P(won) = 1 / (1 + exp((shift - x) / scale)),  P(lost) = 1 / (1 + exp((shift + x) / scale)),  P(drawn) = the rest

and the expected result is P(won) - P(lost), from -1 to 1. training/fit_curve.py fits the two numbers to games of the
engine against itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, exp

from noughts.rules.spec import Rules

SUREST = 0.9999
"""Largest score that is not proven."""


@dataclass(frozen=True)
class ResultCurve:
    """shift: log odds at which a win is as likely as not. scale: 1 if the score is as sure as it says."""

    shift: float
    scale: float

    def expected(self, score: float) -> float:
        """score: for the player to move, from -1 to 1."""
        x = log_odds(score)
        return _logistic((x - self.shift) / self.scale) - _logistic((-x - self.shift) / self.scale)


def log_odds(score: float) -> float:
    """Returns the log odds of winning, if the score is an expected result: 0 for 0, and never infinite."""
    return 2 * atanh(max(-SUREST, min(SUREST, score)))


def _logistic(x: float) -> float:
    return 1 / (1 + exp(max(-700.0, min(700.0, -x))))


FITTED = {
    "ultimate": ResultCurve(0.852, 0.4525),
    "ultimate-boards": ResultCurve(0.5514, 0.8256),
    "xtreme": ResultCurve(0.008, 1.1354),
    "extreme": ResultCurve(0.1039, 0.6771),
}
"""From 400 games of each at 10,000 nodes a move: 14,578, 13,505, 23,436 and 51,238 positions."""
UNFITTED = ResultCurve(0.6408, 0.6391)
"""For all other games: that of ultimate by the handmade evaluation, from 15,050 positions."""


def curve_of(rules: Rules) -> ResultCurve:
    return FITTED.get(rules.name, UNFITTED)
