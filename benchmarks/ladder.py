"""Simulates a ladder and counts games until its order is right, for the matchmaker, random pairing and a league.

Strengths are drawn at random (standard deviation 250 Elo), and results from the model of the ratings (first move worth
30 Elo, draws 20 wide). During the first 30 games of each team, teams upload slightly better versions; then they stop.
The order is right when Kendall's tau between ratings and true strengths reaches 0.9: 19 of 20 pairs are in their order.
All three ways of pairing use the same ratings, with the same four players of known strength.

python benchmarks/ladder.py [TEAMS ...] [--runs 3]
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from statistics import mean

import numpy as np

from noughts.tournaments._formats import league_games
from noughts.tournaments._ladder import KNOWN_ELO, LADDER, Ladder, label
from noughts.tournaments._ratings import Games, Ratings, add_games
from noughts.tournaments.results import Fixture

ELO = 400 / math.log(10)
SPREAD, FIRST_MOVE, DRAWS = 250.0, 30.0, 20.0
YARDSTICKS = {"random#1": -600.0, "greedy#1": -300.0, "level1#1": 0.0, "level3#1": 300.0}
UPLOADS = 3
"""Times at which one team of ten uploads a version."""
BETTER, CHANGE = 30.0, 60.0
"""Mean and standard deviation of how much stronger a version is than the one before."""
LOUD_GAMES = 30
"""Games of each team, on average, until the last upload."""
RIGHT = 0.9
MOST_GAMES = 400
"""Games per team after which a way of pairing counts as failed."""


@dataclass
class World:
    """True strengths, in Elo, and their estimates."""

    teams: int
    random: np.random.Generator
    true: dict[str, float] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    games: Games = field(default_factory=dict)
    former: dict[str, float] = field(default_factory=dict)
    ratings: Ratings | None = None
    played: int = 0
    intervals: dict[str, float] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.true |= YARDSTICKS
        for team in range(self.teams):
            self.versions[team] = 1
            self.true[self.name(team)] = float(self.random.normal(0, SPREAD))

    def name(self, team: int) -> str:
        return label(f"team{team}", self.versions[team])

    @property
    def names(self) -> list[str]:
        return [self.name(team) for team in range(self.teams)]

    def ladder(self) -> Ladder:
        return Ladder(self.names, list(YARDSTICKS), self.former, seed=self.played)

    def rate(self) -> Ratings:
        self.ratings = self.ladder().ratings(self.games, self.ratings)
        return self.ratings

    def upload(self, team: int) -> None:
        old = self.name(team)
        rated = {row.name: row for row in self.rate().table}
        if rated[old].high - rated[old].low <= 2 * KNOWN_ELO:
            self.former[old] = rated[old].elo
        self.versions[team] += 1
        self.true[self.name(team)] = self.true[old] + float(self.random.normal(BETTER, CHANGE))

    def play(self, fixture: Fixture) -> None:
        gap = (self.true[fixture.first] - self.true[fixture.second] + FIRST_MOVE) / ELO
        win, loss = (1 / (1 + math.exp(-(side * gap - DRAWS / ELO))) for side in (1, -1))
        drawn = self.random.random()
        points = (1, 0) if drawn < win else (0, 1) if drawn < win + loss else (0, 0)
        add_games(self.games, fixture.first, fixture.second, points)
        self.played += 1
        for name in fixture[:2]:
            self.seen[name] = self.seen.get(name, 0) + 1
            if self.seen[name] == 60 and name not in YARDSTICKS:
                found = next(row for row in self.rate().table if row.name == name)
                self.intervals[name] = (found.high - found.low) / 2

    def tau(self) -> float:
        """Returns Kendall's tau between the ratings and the truth, of the versions that play."""
        rated = dict(zip(self.rate().names, self.rate().strengths.tolist(), strict=True))
        known = np.array([rated[name] for name in self.names])
        true = np.array([self.true[name] for name in self.names])
        same = np.sign(known[:, None] - known) * np.sign(true[:, None] - true)
        return float(same.sum() / (self.teams * (self.teams - 1)))


Pairing = Callable[[World], Iterator[Fixture]]
"""Returns the games of the next batch."""


def by_matchmaker(world: World) -> Iterator[Fixture]:
    return world.ladder().due_now(world.games, world.rate())


def at_random(world: World) -> Iterator[Fixture]:
    while True:
        one, other = world.random.choice([*world.names, *YARDSTICKS], 2, replace=False).tolist()
        game = Fixture(one, other, LADDER)
        yield from (game, game.returned())


def as_league(world: World) -> Iterator[Fixture]:
    """Every pair once, then every pair again; a new version plays its missing games first."""
    names = [*world.names, *YARDSTICKS]
    order = [names[at] for at in np.random.default_rng(0).permutation(len(names))]
    for round_ in chain.from_iterable(repeat(range(1, MOST_GAMES))):
        for game in league_games(order, LADDER):
            if sum(world.games.get((game.first, game.second), ())) < round_:
                yield game


def games_until_right(teams: int, pairing: Pairing, seed: int) -> tuple[float, World]:
    """Returns the games of each team, on average, until the order is right."""
    world = World(teams, np.random.default_rng(seed))
    uploads = [round(LOUD_GAMES * teams / 2 * (at + 1) / UPLOADS) for at in range(UPLOADS)]
    batch = max(16, teams // 2)
    while True:
        before = world.played
        for game in pairing(world):
            world.play(game)
            if world.played - before >= batch:
                break
        else:
            if world.played == before and not uploads:
                return math.inf, world
        while uploads and world.played >= uploads[0]:
            uploads.pop(0)
            for team in world.random.choice(teams, max(1, teams // 10), replace=False).tolist():
                world.upload(team)
        if not uploads and world.tau() >= RIGHT:
            return 2 * world.played / teams, world
        if 2 * world.played / teams > MOST_GAMES:
            return math.inf, world


def intervals_of_new_versions(teams: int, seed: int) -> list[float]:
    """Returns the intervals after 60 games of versions that come to a ladder that has settled, one side, in Elo."""
    world = World(teams, np.random.default_rng(seed))
    new: set[str] = set()
    while world.played < 50 * teams or new - {name for name, games in world.seen.items() if games >= 60}:
        if not new and world.played >= 40 * teams:
            for team in world.random.choice(teams, max(1, teams // 10), replace=False).tolist():
                world.upload(team)
                new.add(world.name(team))
        before = world.played
        for game in by_matchmaker(world):
            world.play(game)
            if world.played - before >= max(16, teams // 4):
                break
        if world.played == before:
            break
    return [half for name, half in world.intervals.items() if name in new]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teams", nargs="*", type=int, default=[30, 100, 300])
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    ways = {"matchmaker": by_matchmaker, "random pairing": at_random, "league": as_league}
    print(f"games of each team until the order is right (tau {RIGHT}), mean of {args.runs} runs")
    for teams in args.teams or [30, 100, 300]:
        for name, pairing in ways.items():
            began = time.process_time()
            found = [games_until_right(teams, pairing, seed) for seed in range(args.runs)]
            games = mean(each for each, _ in found)
            print(f"{teams:4} teams, {name:15} {games:6.0f} games, {time.process_time() - began:.0f} s", flush=True)
        intervals = sorted(intervals_of_new_versions(teams, 1))
        half, most = intervals[len(intervals) // 2], intervals[int(0.95 * len(intervals))]
        print(
            f"{teams:4} teams, settled: a new version after 60 games +-{half:.0f} Elo, 95% below +-{most:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
