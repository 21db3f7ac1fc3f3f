"""Statistics of games between two players: Elo, LOS, SPRT; and intervals of rates and means.

Games are played in pairs: the same opening once from each side, so that an opening that favours one side favours
neither player. The result of a pair is one of five, by the first player's points: 0, 1/2, 1, 3/2, 2 (losses 0, draws
1/2, wins 1). All error bars come from the spread of these *pair* results: the two games of a pair are not independent,
and treating them as independent makes intervals too wide or too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST_ELO = 1000.0
"""Differences are capped here: the weakness of a player who never scores is unbounded."""
NORMAL_95 = 1.959963984540054
"""Standard deviations around the mean that contain 95% of a normal distribution."""
PRIOR = 0.5
"""Added to each count when the spread is estimated, so that a few equal results do not look certain."""
PRIOR_OF_INTERVAL = 0.2
"""Added to each of the five counts in an interval: one pair's worth in all (see `_likely_scores`)."""
SAMPLES = 10_000
RESULTS = np.arange(5) / 4.0
"""Shares of the points of the five results of a pair."""
SMALLEST_VARIANCE = 1e-6
NORMALIZED_UNIT = 800.0 / math.log(10.0)
"""Normalized Elo of a score one standard deviation of a game above a half, as fastchess counts."""


def expected_score(elo: float) -> float:
    """Returns the share of the points that a player stronger by `elo` gets."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_difference(score: float) -> float:
    """Returns the difference in strength implied by a share of the points, within LARGEST_ELO."""
    least = expected_score(-LARGEST_ELO)
    score = min(max(score, least), 1.0 - least)
    return 400.0 * math.log10(score / (1.0 - score))


@dataclass(frozen=True)
class Elo:
    """A number of Elo points, a rating or a difference in strength, with the ends of its 95% interval.

    >>> import noughts
    >>> print(noughts.Elo(31.4, 12.0, 50.0))
    +31 Elo (95% interval +12 to +50)
    """

    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.elo:+z.0f} Elo (95% interval {self.low:+z.0f} to {self.high:+z.0f})"


@dataclass(frozen=True)
class Pentanomial:
    """Counts of the five results of pairs, worst for the first player first."""

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or min(self.counts) < 0:
            raise ValueError(f"pairs must have five counts of 0 or more, not {self.counts}")

    def add(self, first: float, second: float) -> Pentanomial:
        """Returns the counts with one more pair; the points of the first player in its two games, each 0, 1/2 or 1."""
        if first not in (0, 0.5, 1) or second not in (0, 0.5, 1):
            raise ValueError(f"a game must give 0, 0.5 or 1 points, not {first} and {second}")
        at = round(2 * (first + second))
        a, b, c, d, e = (count + (i == at) for i, count in enumerate(self.counts))
        return Pentanomial((a, b, c, d, e))

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Returns the first player's share of all points; 1/2 without games."""
        return _mean(self.counts) if self.total else 0.5

    def elo(self) -> Elo:
        """Returns the difference in strength; without games, the interval is maximal."""
        if not self.total:
            return Elo(0.0, -LARGEST_ELO, LARGEST_ELO)
        scores, score = _likely_scores(self.counts), self.score
        low, high = np.quantile(scores, (0.025, 0.975)).tolist()
        wider = _student_95(self.total - 1) / NORMAL_95  # the spread of few pairs is uncertain
        return Elo(
            elo_difference(score),
            elo_difference(score - wider * max(0.0, score - low)),
            elo_difference(score + wider * max(0.0, high - score)),
        )

    def normalized_elo(self) -> Elo:
        """Returns the difference in normalized Elo: in standard deviations of a game's result, as fastchess counts
        (nElo)."""
        if not self.total:
            return Elo(0.0, -LARGEST_ELO, LARGEST_ELO)
        shares = _likely_shares(self.counts)
        means = shares @ RESULTS
        deviations = np.sqrt(np.maximum(shares @ RESULTS**2 - means**2, SMALLEST_VARIANCE))
        low, high = np.quantile((means - 0.5) / deviations, (0.025, 0.975)).tolist()
        counts: Sequence[float] = self.counts if _variance(self.counts) else _smoothed(self.counts)
        seen = (_mean(counts) - 0.5) / math.sqrt(_variance(counts))
        unit = NORMALIZED_UNIT / math.sqrt(2.0)  # the deviation of a pair is that of a game, divided by sqrt(2)
        return Elo(seen * unit, low * unit, high * unit)

    def los(self) -> float:
        """Returns the likelihood of superiority: that the first player is the stronger one."""
        return float((_likely_scores(self.counts) > 0.5).mean()) if self.total else 0.5

    def summary(self) -> str:
        """Formats the counts as fastchess does: Ptnml(0-2): [0, 1, 6, 2, 1], nElo: +57 (95% interval -60 to +190), LOS:
        84 %."""
        found = self.normalized_elo()
        interval = f"95% interval {found.low:+z.0f} to {found.high:+z.0f}"
        return f"Ptnml(0-2): {list(self.counts)}, nElo: {found.elo:+z.0f} ({interval}), LOS: {100 * self.los():.1f} %"


MOST_ELO = 10_000
"""Largest Elo of a hypothesis: with a larger difference, games are never lost."""


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of H1, "stronger by elo1", against H0, "stronger by only elo0".

    normalized: the numbers are in normalized Elo, i.e. in standard deviations of a game's result, so that the number of
    games does not depend on the share of draws.

    Play games until `decision` is not None. If the truth is elo0, H1 is accepted with probability at most alpha, and if
    it is elo1, H0 with probability at most beta.

    >>> import noughts
    >>> result = noughts.play_match("wild", ("perfect", "random"), sprt=noughts.Sprt(0, 50), seed=1, progress=False)
    >>> result.decision, len(result.records) < 100
    ('H1', True)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalized: bool = False

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ValueError(
                f"elo0 must be below elo1, both from {-MOST_ELO} to {MOST_ELO}; they are {self.elo0} and {self.elo1}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta must be between 0 and 0.5, not {self.alpha} and {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Returns Wald's bounds: below the first, H0 is accepted; above the second, H1."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def llr(self, pairs: Pentanomial) -> float:
        """Returns the log-likelihood ratio: how much likelier the pairs are under elo1 than under elo0.

        The score of many pairs is nearly normal with the observed variance; this is its likelihood ratio.
        """
        if not pairs.total:
            return 0.0
        counts = _smoothed(pairs.counts)
        if self.normalized:
            # For two means in standard deviations with unknown variance; those of a pair are sqrt(2) of a game's.
            seen = (_mean(counts) - 0.5) / math.sqrt(_variance(counts))
            low, high = (math.sqrt(2.0) * elo / NORMALIZED_UNIT for elo in (self.elo0, self.elo1))
            return 0.5 * pairs.total * math.log((1.0 + (seen - low) ** 2) / (1.0 + (seen - high) ** 2))
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        return pairs.total * (high - low) * (2.0 * _mean(counts) - low - high) / (2.0 * _variance(counts))

    def decision(self, pairs: Pentanomial) -> str | None:
        """Returns the hypothesis that the pairs accept, "H0" or "H1"; None if neither."""
        lower, upper = self.bounds
        ratio = self.llr(pairs)
        return "H1" if ratio >= upper else "H0" if ratio <= lower else None

    def summary(self, pairs: Pentanomial) -> str:
        """Formats the test as fastchess does: SPRT [0, 50]: H0 accepted, LLR -2.95 (-2.94, 2.94)."""
        lower, upper = self.bounds
        decision = self.decision(pairs)
        verdict = "undecided" if decision is None else f"{decision} accepted"
        kind = " normalized" if self.normalized else ""
        ratio = f"LLR {self.llr(pairs):+z.2f} ({lower:.2f}, {upper:.2f})"
        return f"SPRT [{self.elo0:g}, {self.elo1:g}]{kind}: {verdict}, {ratio}"


def _likely_scores(counts: Sequence[int]) -> npt.NDArray[np.float64]:
    """Returns shares of the points that fit the results of pairs: samples from the posterior of the multinomial
    likelihood, with PRIOR_OF_INTERVAL added to each result. Equal counts give equal samples.

    Coverage of the 95% intervals of `elo` for players who get 50 to 97% of the points, without draws (in brackets: of a
    normal approximation). 10 pairs: 94.7 to 98.2% (91.8 to 100%). 20 pairs: 94.9 to 97.4% (92.8 to 99.9%). 50 pairs:
    94.5 to 96.9% (94.2 to 99.9%).
    """
    found: npt.NDArray[np.float64] = _likely_shares(counts) @ RESULTS
    return found


def _likely_shares(counts: Sequence[int]) -> npt.NDArray[np.float64]:
    """Returns the samples themselves: shares of the five results, a row each."""
    return np.random.default_rng(0).dirichlet(np.array(counts) + PRIOR_OF_INTERVAL, SAMPLES)


def _student_95(freedom: int) -> float:
    """Returns NORMAL_95 for Student's distribution, by the first terms of its expansion: within 1% from 4 degrees of
    freedom.
    """
    z, n = NORMAL_95, max(1, freedom)
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def _smoothed(counts: Sequence[int]) -> list[float]:
    return [count + PRIOR for count in counts]


def _mean(counts: Sequence[float]) -> float:
    """Returns the mean share of the points of a pair."""
    return sum(count * i / 4.0 for i, count in enumerate(counts)) / sum(counts)


def _variance(counts: Sequence[float]) -> float:
    mean = _mean(counts)
    return sum(count * (i / 4.0 - mean) ** 2 for i, count in enumerate(counts)) / sum(counts)


@dataclass(frozen=True)
class Interval:
    """A rate or a mean with its 95% interval; all 0 to 1 for a rate. n: number of observations. None where n is 0."""

    n: int
    value: float | None
    low: float | None
    high: float | None

    def text(self, form: str, times: float = 1.0, least: float = -inf) -> str:
        """Returns the value and its interval in brackets, with this format; "-" if there is none. least: minimum of
        the low end.
        """
        if self.value is None or self.low is None or self.high is None:
            return "-"
        value, low, high = (times * number for number in (self.value, max(least, self.low), self.high))
        return f"{value:{form}} ({low:{form}} to {high:{form}})"

    def to_data(self) -> dict[str, float | int | None]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Interval:
        parts = [None if data[name] is None else float(data[name]) for name in ("value", "low", "high")]
        return cls(int(data["n"]), *parts)


def binomial_rate(hits: int, n: int, effective: float | None = None) -> Interval:
    """Returns `hits` of `n` with Wilson's interval, which stays inside 0 to 1 and is useful for 0 of n too.

    effective: the effective number of independent observations, if not `n`.
    """
    if n == 0:
        return Interval(0, None, None, None)
    z2, worth = NORMAL_95**2, n if effective is None else effective
    share = hits / n
    centre = (share + z2 / (2 * worth)) / (1 + z2 / worth)
    half = NORMAL_95 / (1 + z2 / worth) * sqrt(share * (1 - share) / worth + z2 / (4 * worth * worth))
    return Interval(n, share, max(0.0, centre - half) if hits else 0.0, min(1.0, centre + half) if hits < n else 1.0)


def clustered_rate(observed: Iterable[tuple[Hashable, bool]]) -> Interval:
    """Returns a rate of observations in clusters. Clusters are independent; observations within one are not.

    Wilson's interval is computed for the effective number of observations, estimated from the spread between clusters:
    at most all of them; if all are equal, the number of clusters.
    """
    values = list(observed)
    hits, n, clusters = sum(value for _, value in values), len(values), len({cluster for cluster, _ in values})
    share, variance = _mean_of_clusters(values)
    worth = share * (1 - share) / variance if variance else float(clusters)
    return binomial_rate(hits, n, min(float(n), max(1.0, worth)))


def clustered_mean(observed: Iterable[tuple[Hashable, float]]) -> Interval:
    """Returns the mean of numbers in clusters, as for `clustered_rate`, with the normal interval."""
    values = list(observed)
    if not values:
        return Interval(0, None, None, None)
    average, variance = _mean_of_clusters(values)
    half = NORMAL_95 * sqrt(variance)
    return Interval(len(values), average, average - half, average + half)


def _mean_of_clusters(values: Sequence[tuple[Hashable, float]]) -> tuple[float, float]:
    """Returns the mean of all values and its variance, from the spread of the clusters; 0 for one cluster."""
    if not values:
        return 0.0, 0.0
    sums: dict[Hashable, tuple[float, int]] = {}
    for cluster, value in values:
        total, count = sums.get(cluster, (0.0, 0))
        sums[cluster] = total + value, count + 1
    n = len(values)
    average = sum(total for total, _ in sums.values()) / n
    if len(sums) == 1:
        return average, 0.0
    spread = sum((total - average * count) ** 2 for total, count in sums.values())
    return average, spread * len(sums) / (len(sums) - 1) / n**2
