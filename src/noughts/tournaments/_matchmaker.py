"""Who plays next on a ladder: a pure function of what is known about everybody.

The strengths of all have means and a covariance C, natural units. A meeting is two games, one from each seat. If those
of i and j differ by x with variance v = C_ii + C_jj - 2 C_ij, a game between them has the expected information

    I = k sigma'(k x),   k = 1 / sqrt(1 + pi v / 8),   sigma' = sigma (1 - sigma)

and a meeting lowers C_ii by (C_ii - C_ij) ** 2 * 2 I / (1 + 2 I v), C_jj likewise. So a result tells most if the two
are close in strength, uncertain, and were not compared before, not even by way of others. The version with most others
on the wrong side of it, as far as is known, is served first, and gets the opponent whose result tells most about both:

1. A new version has `PLACEMENT` meetings, in turn with yardsticks and with others, each opponent once, as far as
   their results tell enough.
2. Then any opponent; none makes up more than `SHARE` of a version's games.
3. Two that only repeat their games do not meet again.
4. Nobody has more than `IN_FLIGHT` meetings at a time, and nobody is sought who is certain: see `REST_ELO`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from noughts.matches.statistics import NORMAL_95
from noughts.tournaments._ratings import ELO, Floats, Ints

PLACEMENT = 6
"""Meetings of a new version before it joins the rest; 12 games place it among its equals."""
SHARE, SHARE_FROM = 0.2, 10
"""An opponent makes up at most this share of a version's games, where there are so many contestants."""
IN_FLIGHT = 2
"""Meetings of one version at a time: more would be chosen without knowing how those end."""
REST_ELO = 50.0
"""A version whose 95% interval is this narrow on both sides needs no more games: about 200 against equals."""
REST_WRONG = 0.1
"""Nor does one of whom fewer pairs than this are expected to be in the wrong order, such as the best by far."""
PROBIT = 1.702
"""The logistic function of 1.702 x is the normal distribution's to 0.01."""
WORTH = 0.5
"""In placement a yardstick gives way to a team, and the other way round, if it would tell less than this share."""
NOISE = 0.1
"""Opponents that tell almost the same are taken by lot, so that no one of them is always the first."""


@dataclass
class Field:
    """What the matchmaker knows; all arrays have one entry for each contestant.

    strengths, covariance: natural units. games: played and planned. yardsticks: contestants of the staff, who are
    opponents and are never served themselves. met: meetings of each pair. stale: pairs half of whose games repeated
    earlier ones, as those of two bots that leave nothing to chance do. in_flight: meetings.
    """

    strengths: Floats
    covariance: Floats
    games: Ints
    yardsticks: NDArray[np.bool_]
    met: Ints
    stale: NDArray[np.bool_]
    random: np.random.Generator
    in_flight: Ints = field(init=False)
    weights: Floats = field(init=False)
    """Wrong pairs of each, by its variance: what lowers that variance lowers them in proportion."""

    def __post_init__(self) -> None:
        self.in_flight = np.zeros(len(self.strengths), np.int64)
        self.weights = wrong_pairs(self.strengths, self.covariance) / np.maximum(np.diag(self.covariance), 1e-12)

    def plan(self, one: int, other: int) -> None:
        """Counts a meeting that is being played: what it will tell is taken as told."""
        apart = self.covariance[one] - self.covariance[other]
        variance = apart[one] - apart[other]
        information = 2.0 * _information(self.strengths[one] - self.strengths[other], variance)
        self.covariance -= np.outer(apart, apart) * (information / (1.0 + information * variance))
        for at in (one, other):
            self.in_flight[at] += 1
            self.games[at] += 2
        self.met[one, other] += 1
        self.met[other, one] += 1


def next_meeting(known: Field) -> tuple[int, int] | None:
    """Returns the two who should meet next; None while all are certain, or busy, or there is nobody to meet."""
    enough = (REST_ELO / ELO / NORMAL_95) ** 2
    placing = (known.games < 2 * PLACEMENT) & ~known.yardsticks
    free = known.in_flight < IN_FLIGHT
    variances = np.diag(known.covariance)
    wrong = known.weights * variances
    seeking = free & ~known.yardsticks & (placing | ((variances > enough) & (wrong > REST_WRONG)))
    # A version that is being placed comes before all others, the one with fewest games first.
    order = np.where(placing, 1e9 - known.games, wrong)
    for one in sorted(np.flatnonzero(seeking).tolist(), key=lambda at: (-order[at], at)):
        if (other := _opponent(known, one, free, placing)) is not None:
            return one, other
    return None


def _opponent(known: Field, one: int, free: NDArray[np.bool_], placing: NDArray[np.bool_]) -> int | None:
    allowed = free & ~known.stale[one]
    allowed[one] = False
    value = _gain(known, one, alone=bool(placing[one])) * (1.0 + NOISE * known.random.random(len(allowed)))
    if placing[one]:
        new = allowed & (known.met[one] == 0)
        groups = (new & known.yardsticks, new & ~known.yardsticks & ~placing, new & ~known.yardsticks)
        turn = int(known.games[one]) // 2 % 2
        best = max(float(value[group].max(initial=0.0)) for group in groups[:2])
        for group in (groups[turn], groups[1 - turn], groups[2]):
            if group.any() and value[group].max() >= WORTH * best:
                return int(np.argmax(np.where(group, value, -1.0)))
    elif len(allowed) >= SHARE_FROM:
        allowed &= (known.met[one] < 2) | (2 * known.met[one] <= SHARE * known.games[one])
    return int(np.argmax(np.where(allowed, value, -1.0))) if allowed.any() else None


def _gain(known: Field, one: int, *, alone: bool) -> Floats:
    """Returns by how much a meeting of one with each of the others would lower the variances of both, weighed by wrong
    pairs; with `alone`, only the variance of one.
    """
    row, variances = known.covariance[one], np.diag(known.covariance)
    apart = np.maximum(row[one] + variances - 2.0 * row, 0.0)
    information = 2.0 * _information(known.strengths[one] - known.strengths, apart)
    theirs = np.where(known.yardsticks | alone, 0.0, known.weights * (variances - row) ** 2)
    gain: Floats = (known.weights[one] * (row[one] - row) ** 2 + theirs) * information / (1.0 + information * apart)
    return gain


def wrong_pairs(strengths: Floats, covariance: Floats) -> Floats:
    """Returns for each contestant how many others are expected to be on the wrong side of it."""
    variances = np.diag(covariance)
    apart = np.sqrt(np.maximum(variances[:, None] + variances - 2.0 * covariance, 1e-12))
    odds = np.exp(-PROBIT * np.abs(strengths[:, None] - strengths) / apart)
    wrong: Floats = (odds / (1.0 + odds)).sum(axis=1) - 0.5
    return wrong


def _information(gap: Floats, variance: Floats) -> Floats:
    scale = 1.0 / np.sqrt(1.0 + math.pi / 8.0 * variance)
    information: Floats = scale / (4.0 * np.cosh(scale * gap / 2.0) ** 2)
    return information
