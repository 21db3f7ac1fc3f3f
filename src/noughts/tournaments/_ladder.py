"""The ladder: a format without an end. Contestants are versions of bots, each with its own rating.

A version is written `team7#3`. Ratings are those of `_ratings`, with two differences that keep them fast and steady for
months. A replaced version keeps its rating, which is not estimated further. Its games still count for its opponents if
that rating was certain (`KNOWN_ELO`); otherwise its error would affect them. And 0 is the yardstick in the middle of
the staff's list, which stays the same while a class gets stronger. Intervals are relative to the mean of all current
contestants, weighted by certainty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from noughts.matches.statistics import Elo
from noughts.tournaments._formats import MARKS, Format
from noughts.tournaments._matchmaker import Field, next_meeting
from noughts.tournaments._ratings import ELO, PRIOR_ELO, Games, Ratings, add_games, arrays_of, fit, interval
from noughts.tournaments.results import Fixture, Result, checked_names, random_number
from noughts.tournaments.standings import BY_RATING

LADDER = "ladder"
FRIENDLY = "friendly"
"""Stage of friendly matches, which teams request and which are not rated."""
KNOWN_ELO = 100.0
"""The rating of a former version is certain if its interval was no wider than this on each side."""


def label(name: str, version: int) -> str:
    """Returns the text for a version of a contestant."""
    return f"{name}#{version}"


def _team(version: str) -> str:
    """Returns the name of the contestant of a version."""
    return version.rpartition("#")[0]


@dataclass(frozen=True)
class Ladder(Format):
    """The state of a ladder. names: the versions that play, without yardsticks, which are staff players. former: Elo
    ratings of replaced versions. playing: games in flight. levels: of the worker time of the teams, 0 if not given.
    """

    yardsticks: Sequence[str]
    former: Mapping[str, float] = field(default_factory=dict)
    playing: Sequence[Fixture] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0

    stages: ClassVar[Mapping[str, float]] = {LADDER: MARKS}
    order = BY_RATING
    staff_apart = True
    endless = True
    load_seconds = 2.0  # less than elsewhere: every game loads its bots again, while others wait

    def __post_init__(self) -> None:
        checked_names([*self.names, *self.yardsticks], least=0)

    @property
    def games(self) -> int:
        """Returns 0, since the number of future versions is unknown."""
        return 0

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        return [result for result in results if result.fixture.stage == LADDER]

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        """Yields the next games, as long as a version with an uncertain rating is free. Yielded games count as in
        flight.
        """
        games = self.tallied(results)
        yield from self.due_now(games, self.ratings(games))

    def ratings_of(self, results: Iterable[Result], names: Sequence[str]) -> Ratings:
        return self.ratings(self.tallied(results))

    def tallied(self, results: Iterable[Result]) -> Games:
        """Returns the games that count, by pair."""
        games: Games = {}
        for result in self.counting_results(results):
            add_games(games, result.first, result.second, result.points)
        return games

    def ratings(self, games: Games, before: Ratings | None = None) -> Ratings:
        """Returns the ratings from these games. before: ratings of a few games ago, to start from."""
        contestants = [*self.names, *self.yardsticks]
        number = {name: at for at, name in enumerate([*contestants, *self.former])}
        size = len(contestants)
        rated = {
            pair: counts
            for pair, counts in games.items()
            if pair[0] in number and pair[1] in number and min(number[pair[0]], number[pair[1]]) < size
        }
        counts, start = arrays_of(rated, number), None
        if before is not None:
            known = dict(zip(before.names, before.strengths.tolist(), strict=True))
            shared = before.first_move.elo / ELO, before.draw_width.elo / ELO
            start = np.array([*(known.get(name, 0.0) for name in contestants), *shared])
        former = np.array([elo / ELO for elo in self.former.values()], np.float64)
        point, covariance = fit(counts, size, (ELO / PRIOR_ELO) ** 2, known=former, start=start)
        played = np.zeros(size, np.int64)
        for pair, outcomes in games.items():
            for name in pair:
                if number.get(name, size) < size:
                    played[number[name]] += sum(outcomes)
        weights = 1.0 / np.diag(covariance)[:size]
        centring = np.eye(size) - weights / weights.sum()
        centred = centring @ covariance[:size, :size] @ centring.T
        zero = float(point[len(self.names) + (len(self.yardsticks) - 1) // 2]) if self.yardsticks else 0.0
        errors = np.sqrt(np.diag(covariance))
        return Ratings(
            names=tuple(contestants),
            strengths=point[:size] - zero,
            covariance=centred,
            mean_variance=np.zeros(size),
            components=np.ones(size, np.int64),
            games=played,
            first_move=Elo(*interval(float(point[-2]), float(errors[-2]))),
            draw_width=Elo(*interval(float(point[-1]), float(errors[-1]))),
        )

    def due_now(self, games: Games, ratings: Ratings) -> Iterator[Fixture]:
        """Yields the next games by known ratings. round: counts the meetings of two versions."""
        number = {name: at for at, name in enumerate(ratings.names)}
        of_team = {_team(name): at for name, at in number.items()}
        played, repeated, against = np.zeros((3, len(number), len(number)), np.int64)
        for (first, second), counts in games.items():
            for one, other in ((first, second), (second, first)):
                if one in number and _team(other) in of_team:
                    against[number[one], of_team[_team(other)]] += sum(counts)
            if first in number and second in number:
                played[number[first], number[second]] += sum(counts)
                repeated[number[first], number[second]] += counts[3]
        met = (played + played.T + 1) // 2
        stale = (repeated + repeated.T > 0) & (2 * (repeated + repeated.T) >= played + played.T)
        known = Field(
            ratings.strengths,
            ratings.covariance.copy(),
            ratings.games.copy(),
            np.isin(np.arange(len(number)), [number[name] for name in self.yardsticks]),
            met,
            stale,
            np.random.default_rng(random_number(self.seed, LADDER, int(ratings.games.sum()), len(self.playing))),
            against,
            np.array([self.levels.get(name, 0) for name in ratings.names]),
        )
        in_flight = Counter(tuple(sorted((game.first, game.second))) for game in self.playing)
        for one, other in in_flight:
            if one in number and other in number:
                known.plan(number[one], number[other])
        while (pair := next_meeting(known)) is not None:
            turn = int(met[pair])
            known.plan(*pair)
            one, other = (ratings.names[at] for at in (pair if turn % 2 == 0 else pair[::-1]))
            game = Fixture(one, other, LADDER, round=turn + 1)
            yield from (game, game.returned())
