"""Computes the certainty of places, as in "top 3 with 87%".

`by_points` uses the bootstrap: it computes the table many times, each time from another resample of the same meetings.
A meeting is the pair of games between two contestants; both games are resampled together, because they are not
independent. Each meeting counts Poisson(1) times in a resample, and contestants are ranked by points per game. Each
contestant gets one additional meeting, drawn from all meetings, so that few games never look certain.

`by_rating` draws strengths from the normal distribution behind the ratings' intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noughts.tournaments._ratings import Floats, Ints, Ratings
from noughts.tournaments.results import Result, gc_paused
from noughts.tournaments.standings import standings

SAMPLES = 1000
CHUNK = 4_000_000
"""Numbers in memory at a time, so that a million games need no more memory than a thousand."""
QUANTILES = 1 << 16
POISSON = np.searchsorted(
    np.cumsum([math.exp(-1) / math.factorial(k) for k in range(10)]), (np.arange(QUANTILES) + 0.5) / QUANTILES
).astype(np.float64)
"""The quantiles of Poisson(1). Picking one at random samples it to within 1 in 65,536, much faster than NumPy does."""
RIDGE = 1e-8
"""Added to variances (natural units, squared), because a covariance with means fixed at 0 is singular."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """The places of all contestants in many resamples.

    names: in the order of the table. places: (resamples, names), counted from 1.
    """

    names: tuple[str, ...]
    places: NDArray[np.int32]

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    def top(self, name: str, places: int) -> float:
        """Returns the share of resamples in which a contestant was among the first `count`."""
        return float((self.places[:, self._column[name]] <= places).mean())

    def sure(self, place: int) -> float:
        """Returns the certainty that the contestant at a place belongs there or higher."""
        return self.top(self.names[place - 1], place)

    def interval(self, name: str) -> tuple[int, int]:
        """Returns the best and worst place of a range that contains at least 95% of the resamples."""
        low, high = np.percentile(self.places[:, self._column[name]], [2.5, 97.5])
        return int(np.floor(low)), int(np.ceil(high))

    def above(self, one: str, other: str) -> float:
        """Returns the share of resamples in which one contestant was ahead of another."""
        return float((self.places[:, self._column[one]] < self.places[:, self._column[other]]).mean())


def by_points(
    results: Iterable[Result],
    names: Iterable[str] = (),
    *,
    table: Iterable[str] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Certainty:
    """Returns the certainty of the table of these games, all of one stage or pool. names: contestants without games.

    table: all names in order, if known.
    """
    played = list(results)
    if table is None:
        table = (row.name for row in standings(played, names, by="rate", seed=seed))
    table = tuple(table)
    shares = _Shares.from_results(played, table)
    random = np.random.default_rng(seed)
    rates = np.empty((samples, len(table)))
    rows = max(1, CHUNK // max(1, len(shares.meeting)))
    for start in range(0, samples, rows):
        rates[start : start + rows] = shares.drawn_rates(random, min(rows, samples - start))
    return Certainty(table, _places(rates, random))


def by_rating(ratings: Ratings, *, samples: int = SAMPLES, seed: int = 0) -> Certainty:
    """Returns the certainty of the order of the ratings."""
    random = np.random.default_rng(seed)
    size = len(ratings.names)
    spread = np.linalg.cholesky(ratings.covariance + RIDGE * np.eye(size))
    drawn = ratings.strengths + random.standard_normal((samples, size)) @ spread.T
    count = int(ratings.components.max(initial=0)) + 1
    drawn += random.standard_normal((samples, count))[:, ratings.components] * np.sqrt(ratings.mean_variance)
    number = {name: at for at, name in enumerate(ratings.names)}
    table = tuple(rating.name for rating in ratings.table)
    return Certainty(table, _places(drawn[:, [number[name] for name in table]], random))


@dataclass(frozen=True, eq=False)
class _Shares:
    """The contestants' shares of meetings: two entries for each meeting, ordered by contestant.

    meeting: its number. points, games: of the contestant in the meeting. present: the contestants with meetings.
    starts: the first entry of each of them.
    """

    contestants: int
    meetings: int
    meeting: Ints
    points: Floats
    games: Floats
    present: Ints
    starts: Ints

    @classmethod
    def from_results(cls, results: Iterable[Result], table: tuple[str, ...]) -> _Shares:
        played = list(results)
        places = {place: at for at, place in enumerate(sorted({fixture[2:] for fixture, *_ in played}))}
        number = {name: at for at, name in enumerate(sorted(table))}
        with gc_paused():
            rows = [
                (number[fixture[0]], number[fixture[1]], places[fixture[2:]], *points) for fixture, points, _ in played
            ]
        seats, place, points = np.split(np.array(rows, np.int64).reshape(-1, 5), [2, 3], axis=1)
        pairs = seats.min(axis=1) * len(table) + seats.max(axis=1)
        keys, meeting = np.unique(pairs * len(places) + place[:, 0], return_inverse=True)
        row_of = np.array([number[name] for name in table], np.int64).argsort()  # from the order of names to the table
        shares, share = np.unique(row_of[seats] * len(keys) + meeting[:, None], return_inverse=True)
        contestant, of_meeting = np.divmod(shares, max(1, len(keys)))
        present, starts = np.unique(contestant, return_index=True)
        gained = np.bincount(share.ravel(), points.ravel(), len(shares)).astype(np.float64)
        games = np.bincount(share.ravel(), minlength=len(shares)).astype(np.float64)
        return cls(len(table), len(keys), of_meeting, gained, games, present, starts.astype(np.int64))

    def drawn_rates(self, random: np.random.Generator, draws: int) -> Floats:
        """Returns the points per game in many resamples: (resamples, contestants)."""
        if not self.meetings:
            return np.zeros((draws, self.contestants))
        extra = random.integers(len(self.meeting), size=(self.contestants, draws))
        points, games = self.points[extra], self.games[extra]
        times = POISSON[random.integers(QUANTILES, size=(self.meetings, draws), dtype=np.uint16)][self.meeting]
        games[self.present] += np.add.reduceat(times * self.games[:, None], self.starts, axis=0)
        times *= self.points[:, None]
        points[self.present] += np.add.reduceat(times, self.starts, axis=0)
        rates: Floats = (points / games).T
        return rates


def _places(values: Floats, random: np.random.Generator) -> NDArray[np.int32]:
    """Returns the place of each value in its row, the largest first; equal values in random order."""
    shuffled = random.random(values.shape)
    order = np.lexsort((shuffled, -values), axis=1)
    places = np.empty(values.shape, np.int32)
    np.put_along_axis(places, order, np.arange(1, values.shape[1] + 1, dtype=np.int32)[None, :], axis=1)
    return places
