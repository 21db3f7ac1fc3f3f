"""Ratings: the strengths that best explain all results, with 95% intervals.

The model is Rao and Kupper's, an ordered logit. With strengths s, an advantage f of moving first, a width d of draws
and sigma(x) = 1 / (1 + exp(-x)), when i moves first against j:

    P(i wins) = sigma(s_i - s_j + f - d)      P(j wins) = sigma(s_j - s_i - f - d)      else a draw

In a draw, neither i nor j wins, so the log-likelihood is that of two logistic regressions and a term in d alone. It is
concave, and Newton's method finds its maximum in a few steps. A weak normal prior on every parameter keeps perfect
scores and isolated contestants finite, and makes the mean strength of each connected component 0. Intervals come from
the curvature at the maximum (the observed information), with the mean of the component fixed at 0. Strengths are
computed in natural units and reported in Elo points, 400 / ln 10 for each unit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noughts.matches.statistics import NORMAL_95, Elo
from noughts.tournaments.results import Result, gc_paused

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ELO = 400.0 / math.log(10.0)
"""The number of Elo points in one natural unit of strength."""
PRIOR_ELO = 1000.0
"""Standard deviation of the prior: ten games outweigh it, and our bots all lie within it."""
MAX_STEPS = 100
TOLERANCE = 1e-9
"""Newton's method stops when no parameter changes by more, in natural units."""
DECIMALS = 12
"""Decimals of expected scores, so that equal strengths have equal scores."""
NONE_KNOWN: Floats = np.zeros(0)
WIDEST = 100.0
"""Maximum width of draws, in natural units, for which exp(2 * width) can be computed."""


@dataclass(frozen=True)
class Rating(Elo):
    """The rating of a contestant. component: ratings are comparable only within a component; numbered from 1, largest
    first.
    """

    name: str
    games: int
    component: int


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of all contestants.

    names: in the order of the arrays, all of which have one entry for each. strengths: natural units, mean 0 in each
    component. covariance: of the strengths, with the mean of each component fixed at 0. mean_variance: the variance of
    that mean, from the prior. first_move: the advantage of moving first. draw_width: advantage with which a contestant
    wins half of its games; 0 without draws.
    """

    names: tuple[str, ...]
    strengths: Floats
    covariance: Floats
    mean_variance: Floats
    components: Ints
    games: Ints
    first_move: Elo
    draw_width: Elo

    @cached_property
    def table(self) -> list[Rating]:
        """Returns the ratings, best first."""
        errors = np.sqrt(np.maximum(0.0, np.diag(self.covariance)))
        order = sorted(range(len(self.names)), key=lambda at: (-self.strengths[at], self.names[at]))
        return [
            Rating(
                *interval(float(self.strengths[at]), float(errors[at])),
                name=self.names[at],
                games=int(self.games[at]),
                component=int(self.components[at]),
            )
            for at in order
        ]

    @cached_property
    def expected_scores(self) -> dict[str, float]:
        """Returns each contestant's expected mean score against all others, from both seats; a draw counts 1/2.

        A higher rating gives a higher expected score. A lone contestant has 1/2.
        """
        gap = self.strengths[:, None] - self.strengths[None, :]
        width = self.draw_width.elo / ELO
        scores = np.zeros_like(gap)
        for first in (self.first_move.elo / ELO, -self.first_move.elo / ELO):
            win, loss = np.tanh((gap + first - width) / 2), np.tanh((-gap - first - width) / 2)  # 2 sigma - 1
            scores += 0.25 + (win - loss) / 8
        others = max(1, len(self.names) - 1)
        means = 0.5 + (scores - 0.5).sum(axis=1) / others  # against oneself it is 1/2
        return dict(zip(self.names, means.round(DECIMALS).tolist(), strict=True))

    def difference(self, one: str, other: str) -> Elo:
        """Returns how much stronger one contestant is. Between components only the prior is known, so the interval is
        wide.
        """
        at, to = self.names.index(one), self.names.index(other)
        variance = self.covariance[at, at] + self.covariance[to, to] - 2 * self.covariance[at, to]
        if self.components[at] != self.components[to]:
            variance += self.mean_variance[at] + self.mean_variance[to]
        gap = float(self.strengths[at] - self.strengths[to])
        return Elo(*interval(gap, math.sqrt(max(0.0, float(variance)))))


def rate(results: Iterable[Result], names: Iterable[str] = (), *, prior_elo: float = PRIOR_ELO) -> Ratings:
    """Returns ratings from these games. names: contestants to rate even without games."""
    if not prior_elo > 0:
        raise ValueError(f"the prior needs a standard deviation of more than 0 Elo points, not {prior_elo:g}")
    found, counts = count_pairs(results, names)
    size, precision = len(found), (ELO / prior_elo) ** 2
    parameters, covariance = fit(counts, size, precision)
    components = connected(counts, size)
    members = np.bincount(components)[components]
    games = np.bincount(counts.first, counts.total, size) + np.bincount(counts.second, counts.total, size)
    return Ratings(
        names=tuple(found),
        strengths=parameters[:size],
        covariance=_centred(covariance[:size, :size], components),
        mean_variance=np.where(members > 1, 1.0 / (precision * members), 0.0),
        components=components,
        games=games.astype(np.int64),
        first_move=Elo(*interval(float(parameters[-2]), math.sqrt(covariance[-2, -2]))),
        draw_width=Elo(*interval(float(parameters[-1]), math.sqrt(covariance[-1, -1]))),
    )


Games = dict[tuple[str, str], list[int]]
"""Losses, draws and wins of the first, and games without weight, by (first, second)."""


def add_games(
    games: Games, first: str, second: str, points: tuple[int, int], times: int = 1, *, repeated: bool = False
) -> None:
    """Counts games that ended with these points. repeated: whether they repeat the moves of an earlier game, and so
    have no weight.
    """
    counts = games.setdefault((first, second), [0, 0, 0, 0])
    counts[3 if repeated else 1 + (points[0] > points[1]) - (points[0] < points[1])] += times


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Results counted for each ordered pair that met; all arrays have one entry per pair.

    first, second: numbers of the contestants by seat. wins, draws, losses: of the first.
    """

    first: Ints
    second: Ints
    wins: Floats
    draws: Floats
    losses: Floats

    @property
    def total(self) -> Floats:
        return self.wins + self.draws + self.losses


def count_pairs(results: Iterable[Result], names: Iterable[str] = ()) -> tuple[list[str], PairCounts]:
    """Returns all names by number, and the counts. Neither depends on the order of the results."""
    games: Games = {}
    with gc_paused():
        outcomes = Counter([(fixture[0], fixture[1], points) for fixture, points, _ in results])
    for (first, second, points), times in outcomes.items():
        add_games(games, first, second, points, times)
    met = sorted({name for pair in games for name in pair})
    number = {name: at for at, name in enumerate(dict.fromkeys([*names, *met]))}
    return list(number), arrays_of(games, number)


def arrays_of(games: Games, number: Mapping[str, int]) -> PairCounts:
    """Returns the counts as arrays. number: the number of each name."""
    order = sorted(games)
    pairs = np.array([(number[first], number[second]) for first, second in order], np.int64).reshape(-1, 2)
    counts = np.array([games[pair] for pair in order], np.float64).reshape(-1, 4)
    return PairCounts(pairs[:, 0], pairs[:, 1], counts[:, 2], counts[:, 1], counts[:, 0])


def fit(
    counts: PairCounts, size: int, precision: float, *, known: Floats = NONE_KNOWN, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """Returns the most likely (strengths..., f, d), natural units, and their covariance (size + 2, size + 2).

    Without draws, d is 0. known: fixed strengths of contestants from number `size` on. start: initial parameters, such
    as those of a few games ago.
    """
    draws, games = float(counts.draws.sum()), float(counts.total.sum())
    with_draws = draws > 0
    point = np.zeros(size + 2) if start is None else start.copy()
    if not with_draws:
        point[-1] = 0.0
    elif not 0 < point[-1] < WIDEST:
        point[-1] = 2 * math.atanh(draws / (games + 1))  # starts with equal strengths
    value, gradient, information = _log_likelihood(counts, point, precision, known)
    for _ in range(MAX_STEPS):
        step = np.linalg.solve(information, gradient)
        length = 1.0
        while True:
            tried = point + length * step
            if 0 < tried[-1] < WIDEST or not with_draws:
                after = _log_likelihood(counts, tried, precision, known)
                if after[0] >= value - TOLERANCE or length * float(np.abs(step).max()) < TOLERANCE:
                    break
            length /= 2
        point, (value, gradient, information) = tried, after
        if length * float(np.abs(step).max()) < TOLERANCE:
            break
    covariance = np.asarray(np.linalg.inv(information), np.float64)
    if not with_draws:
        covariance[-1, -1] = 0.0
    return point, covariance


def _log_likelihood(counts: PairCounts, point: Floats, precision: float, known: Floats) -> tuple[float, Floats, Floats]:
    """Returns the value, gradient and information (minus second derivatives) at these parameters, including the
    prior.
    """
    size = len(point) - 2
    width = float(point[-1])
    strengths = np.concatenate((point[:size], known))
    gap = strengths[counts.first] - strengths[counts.second] + point[-2]
    win, loss = gap - width, -gap - width
    draws = float(counts.draws.sum())
    log_win, log_loss = -np.logaddexp(0.0, -win), -np.logaddexp(0.0, -loss)  # of sigma; of sigma(-x), it less x
    value = (
        counts.wins @ log_win
        + counts.losses @ log_loss
        + counts.draws @ (log_win - win + log_loss - loss)
        - precision / 2 * (point @ point)
    )
    p_win, p_loss = np.exp(log_win), np.exp(log_loss)
    by_win = counts.wins * (1 - p_win) - counts.draws * p_win
    by_loss = counts.losses * (1 - p_loss) - counts.draws * p_loss
    curve_win = (counts.wins + counts.draws) * p_win * (1 - p_win)
    curve_loss = (counts.losses + counts.draws) * p_loss * (1 - p_loss)

    gradient = -precision * point
    information = precision * np.eye(size + 2)
    gradient[:size] += _by_contestant(counts, by_win - by_loss, size)
    gradient[-2] += (by_win - by_loss).sum()
    curve, mixed = curve_win + curve_loss, curve_loss - curve_win
    information[:size, :size] += _laplacian(counts, curve, size)
    for column, values in ((-2, curve), (-1, mixed)):
        information[:size, column] = information[column, :size] = _by_contestant(counts, values, size)
    information[-2, -2] += curve.sum()
    information[-2, -1] = information[-1, -2] = mixed.sum()
    if draws:
        value += draws * math.log(-math.expm1(-2 * width))
        gradient[-1] += draws * 2 / math.expm1(2 * width) - (by_win + by_loss).sum()
        information[-1, -1] += curve.sum() + draws / math.sinh(width) ** 2
    else:
        gradient[-1] = information[-1, :] = information[:, -1] = 0.0
        information[-1, -1] = 1.0
    return float(value), gradient, information


def _by_contestant(counts: PairCounts, values: Floats, size: int) -> Floats:
    """Returns sums over the pairs of each estimated contestant; pairs from the second seat count negative."""
    first, second = np.bincount(counts.first, values, size), np.bincount(counts.second, values, size)
    return np.asarray(first[:size] - second[:size], np.float64)


def _laplacian(counts: PairCounts, weights: Floats, size: int) -> Floats:
    """Returns the sum of weight * (e_first - e_second)(e_first - e_second)' over the pairs, for estimated
    contestants.
    """
    both = (counts.first < size) & (counts.second < size)
    at = counts.first[both] * size + counts.second[both]
    apart = np.bincount(at, weights[both], size * size).reshape(size, size)
    apart += apart.T
    own = np.bincount(counts.first, weights, size)[:size] + np.bincount(counts.second, weights, size)[:size]
    laplacian: Floats = np.diag(own) - apart
    return laplacian


def _centred(covariance: Floats, components: Ints) -> Floats:
    """Returns the covariance with the mean of each component fixed at 0; unchanged for a lone contestant."""
    sizes = np.bincount(components)
    same = (components[:, None] == np.arange(len(sizes))) & (sizes > 1)
    mean = same / np.maximum(sizes, 1)
    centring = np.eye(len(components)) - mean @ same.T
    centred: Floats = centring @ covariance @ centring
    return centred


def interval(mean: float, error: float) -> tuple[float, float, float]:
    """Returns the mean and the ends of the 95% interval, in Elo points."""
    return mean * ELO, (mean - NORMAL_95 * error) * ELO, (mean + NORMAL_95 * error) * ELO


def connected(counts: PairCounts, size: int) -> Ints:
    """Returns the component of each contestant, numbered from 1, largest first. Games link the contestants of a
    component.
    """
    parent = list(range(size))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for one, other in zip(counts.first.tolist(), counts.second.tolist(), strict=True):
        parent[root(one)] = root(other)
    roots = np.array([root(at) for at in range(size)], np.int64)
    _, group, members = np.unique(roots, return_inverse=True, return_counts=True)
    numbers = np.empty(len(members), np.int64)
    numbers[np.argsort(-members, kind="stable")] = np.arange(1, len(members) + 1)
    return numbers[group]
