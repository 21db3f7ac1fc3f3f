"""Chooses who plays next on a ladder, as a pure function of the ratings and games so far.

The strengths have means and a covariance C, in natural units. A meeting is two games, one from each seat. If those of i
and j differ by x with variance v = C_ii + C_jj - 2 C_ij, a game between them has the expected information

    I = k sigma'(k x),   k = 1 / sqrt(1 + pi v / 8),   sigma' = sigma (1 - sigma)

and a meeting lowers C_ii by (C_ii - C_ij) ** 2 * 2 I / (1 + 2 I v), and C_jj likewise. So results are most informative
if the two are close in strength, uncertain, and not yet compared, even indirectly. The version with the most expected
wrong pairs is served first, among those whose teams have used the least worker time (`_worker_time`). Its opponent is
the one whose result is most informative about both:

1. A new version first has `PLACEMENT` meetings, alternately with yardsticks and teams, each opponent
   once, if their results are informative enough.
2. Then any opponent may follow, but no team makes up more than `SHARE` of a version's games, on either side.
3. Pairs that only repeat their games do not meet again.
4. No version has more than `IN_FLIGHT` meetings at a time, and versions with a certain rating (`REST_ELO`)
   are not served.
5. A team that has used much more worker time than most is no opponent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from noughts.matches.statistics import NORMAL_95
from noughts.tournaments._ratings import ELO, Floats, Ints

PLACEMENT = 6
"""Meetings that place a new version: 12 games are enough."""
SHARE, SHARE_FROM, SHARE_FREE = 0.2, 10, 4
"""Maximum share of one team in a version's finished games; the minimum number of contestants for that limit; and the
number of games against one team that are always allowed."""
IN_FLIGHT = 2
"""Maximum meetings of a version at a time: more would be chosen without knowing the results of these."""
REST_ELO = 50.0
"""A version with a 95% interval this narrow on both sides needs no more games: about 200 against equals."""
REST_WRONG = 0.1
"""Nor does a version with fewer expected wrong pairs than this, such as the best by far."""
PROBIT = 1.702
"""The logistic function of 1.702 x is the normal distribution's to 0.01."""
SWITCH_SHARE = 0.5
"""In placement, a team replaces a yardstick, or the reverse, unless the planned opponent tells at least this share of
what the best one would.
"""
NOISE = 0.1
"""Among almost equally informative opponents, one is chosen at random."""


@dataclass
class Field:
    """The matchmaker's data; all arrays have one entry for each contestant.

    strengths, covariance: natural units. games: played and planned. yardsticks: staff players, which are opponents only
    and never served. met: meetings of each pair. stale: pairs half of whose games repeated earlier ones, as between
    deterministic bots. against: games of a contestant (row) with all versions of another's team (default: those of
    `met`). levels: of worker time (default: equal). in_flight: meetings.
    """

    strengths: Floats
    covariance: Floats
    games: Ints
    yardsticks: NDArray[np.bool_]
    met: Ints
    stale: NDArray[np.bool_]
    random: np.random.Generator
    against: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    levels: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    in_flight: Ints = field(init=False)
    weights: Floats = field(init=False)
    """Expected wrong pairs of each contestant per variance: both fall in proportion."""

    def __post_init__(self) -> None:
        self.in_flight = np.zeros(len(self.strengths), np.int64)
        self._finished = self.games.copy()
        if not self.levels.size:
            self.levels = np.zeros(len(self.strengths), np.int64)
        if not self.against.size:
            self.against = 2 * self.met
        self.weights = wrong_pairs(self.strengths, self.covariance) / np.maximum(np.diag(self.covariance), 1e-12)

    def plan(self, one: int, other: int) -> None:
        """Counts a meeting in flight as if its information were known already."""
        apart = self.covariance[one] - self.covariance[other]
        variance = apart[one] - apart[other]
        information = 2.0 * _information(self.strengths[one] - self.strengths[other], variance)
        self.covariance -= np.outer(apart, apart) * (information / (1.0 + information * variance))
        for at in (one, other):
            self.in_flight[at] += 1
            self.games[at] += 2
        for at, against in ((one, other), (other, one)):
            self.met[at, against] += 1
            self.against[at, against] += 2

    def within_share(self, one: int) -> NDArray[np.bool_]:
        """Returns whether a further meeting with each of the others keeps to `SHARE` on both sides. Games count as
        played only once they are finished, so the share holds at any time.
        """
        if len(self.strengths) < SHARE_FROM:
            return np.ones(len(self.strengths), np.bool_)
        limits = np.maximum(SHARE_FREE, SHARE * self._finished)
        ours: NDArray[np.bool_] = self.against[one] + 2 <= limits[one]
        theirs: NDArray[np.bool_] = self.yardsticks | (self.against[:, one] + 2 <= limits)
        return ours & theirs


def next_meeting(known: Field) -> tuple[int, int] | None:
    """Returns the next two to meet; None if all are certain or busy, or have no opponents."""
    enough = (REST_ELO / ELO / NORMAL_95) ** 2
    placing = (known.games < 2 * PLACEMENT) & ~known.yardsticks
    free = known.in_flight < IN_FLIGHT
    variances = np.diag(known.covariance)
    wrong = known.weights * variances
    seeking = free & ~known.yardsticks & (placing | ((variances > enough) & (wrong > REST_WRONG)))
    # Within a level, versions in placement come first, those with fewest games before others.
    order = np.where(placing, 1e9 - known.games, wrong)
    for one in sorted(np.flatnonzero(seeking).tolist(), key=lambda at: (known.levels[at], -order[at], at)):
        if (other := _opponent(known, one, free, placing)) is not None:
            return one, other
    return None


def _opponent(known: Field, one: int, free: NDArray[np.bool_], placing: NDArray[np.bool_]) -> int | None:
    usual = float(np.median(known.levels[~known.yardsticks]))
    allowed = free & ~known.stale[one] & known.within_share(one)
    allowed &= known.levels <= max(float(known.levels[one]), usual) + 1
    allowed[one] = False
    value = _gain(known, one, alone=bool(placing[one])) * (1.0 + NOISE * known.random.random(len(allowed)))
    if placing[one]:
        new = allowed & (known.met[one] == 0)
        groups = (new & known.yardsticks, new & ~known.yardsticks & ~placing, new & ~known.yardsticks)
        turn = int(known.games[one]) // 2 % 2
        best = max(float(value[group].max(initial=0.0)) for group in groups[:2])
        for group in (groups[turn], groups[1 - turn], groups[2]):
            if group.any() and value[group].max() >= SWITCH_SHARE * best:
                return int(np.argmax(np.where(group, value, -1.0)))
    return int(np.argmax(np.where(allowed, value, -1.0))) if allowed.any() else None


def _gain(known: Field, one: int, *, alone: bool) -> Floats:
    """Returns how much meetings of one contestant with each of the others would lower the variances of both, weighted
    by wrong pairs; with `alone`, the variance of that contestant only.
    """
    row, variances = known.covariance[one], np.diag(known.covariance)
    apart = np.maximum(row[one] + variances - 2.0 * row, 0.0)
    information = 2.0 * _information(known.strengths[one] - known.strengths, apart)
    theirs = np.where(known.yardsticks | alone, 0.0, known.weights * (variances - row) ** 2)
    gain: Floats = (known.weights[one] * (row[one] - row) ** 2 + theirs) * information / (1.0 + information * apart)
    return gain


def wrong_pairs(strengths: Floats, covariance: Floats) -> Floats:
    """Returns, for each contestant, the expected number of others on the wrong side of it."""
    variances = np.diag(covariance)
    apart = np.sqrt(np.maximum(variances[:, None] + variances - 2.0 * covariance, 1e-12))
    odds = np.exp(-PROBIT * np.abs(strengths[:, None] - strengths) / apart)
    wrong: Floats = (odds / (1.0 + odds)).sum(axis=1) - 0.5
    return wrong


def _information(gap: Floats, variance: Floats) -> Floats:
    scale = 1.0 / np.sqrt(1.0 + math.pi / 8.0 * variance)
    information: Floats = scale / (4.0 * np.cosh(scale * gap / 2.0) ** 2)
    return information
