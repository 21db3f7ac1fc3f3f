"""Converts the engine's score to an expected result, by a curve fitted for each game.

As in Stockfish's win-draw-loss model, where x is the log odds of the score. The score is the engine's own estimate of
the expected result, 2 P - 1.

    P(won) = 1 / (1 + exp((shift - x) / scale)),  P(lost) = 1 / (1 + exp((shift + x) / scale)),  P(drawn) = the rest

The expected result is P(won) - P(lost), from -1 to 1. training/fit_curve.py fits the two numbers to games of the
engine against itself: those in the data of the games to 400 games of each game at 10,000 nodes per move, which have
13,571 to 54,071 positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, exp

from noughts.games import data_of
from noughts.rules.spec import Rules

SUREST = 0.9999
"""Largest unproven score."""


@dataclass(frozen=True)
class ResultCurve:
    """A win-draw-loss curve. shift: log odds at which a win is as likely as not. scale: 1 if the score is as certain as
    it claims."""

    shift: float
    scale: float

    def expected(self, score: float) -> float:
        """Returns the expected result of a score from -1 to 1, for the player to move."""
        x = log_odds(score)
        return _logistic((x - self.shift) / self.scale) - _logistic((-x - self.shift) / self.scale)


def log_odds(score: float) -> float:
    """Returns the log odds of winning, if the score is an expected result: 0 for 0, and never infinite."""
    return 2 * atanh(max(-SUREST, min(SUREST, score)))


def _logistic(x: float) -> float:
    return 1 / (1 + exp(max(-700.0, min(700.0, -x))))


UNFITTED = ResultCurve(0.6408, 0.6391)
"""For games whose data have no curve: that of ultimate with the handmade evaluation, from 15,050 positions."""


def curve_of(rules: Rules) -> ResultCurve:
    curve = data_of(rules).curve
    return UNFITTED if curve is None else ResultCurve(*curve)
