"""What a format is, and the formats league, gauntlet and course (three stages). `_swiss` has the Swiss system.

A format has everything in which formats differ: its stages with their marks, what orders and rates contestants, the
staff players and limits that it needs. So a new format is one class, and a name for it in `settings.FORMATS`.

It is a pure function of its contestants, its seed and the results so far: `due(results)` yields the unplayed games that
can be played now, and nothing when the tournament is over. So a stopped run continues by asking again. A meeting is
always a pair of games, one from each seat, played one after the other.

Draws are kept: `draws(results)` returns them, and a format with `kept_draws` keeps them even if contestants come and
go, or games are played again with other results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, Self

from noughts.matches.tally import Tally
from noughts.sandbox import LOAD_SECONDS
from noughts.tournaments._ratings import Ratings, rate
from noughts.tournaments.names import natural_order
from noughts.tournaments.results import Fixture, Result, checked_names, draw_order, random_number
from noughts.tournaments.standings import BY_POINTS, BY_STAGE, standings

LEAGUE, GAUNTLET = "league", "gauntlet"
GROUP, SEMI_FINAL, FINAL = "group", "semi-final", "final"
MARKS = 50.0
"""Marks of a format with one stage."""

Draws = Mapping[str, Sequence[Sequence[str]]]
"""Drawn groups of names: the pools of a course by stage; the pairs and the bye of a Swiss tournament by round."""


class OldDraw(NamedTuple):
    """A stage whose draw no longer fits the results before it. out: contestants who would now qualify; inside:
    contestants who would not.
    """

    stage: str
    out: list[str]
    inside: list[str]


class FewerPools(NamedTuple):
    """A stage with fewer pools than requested: every pool must have a contestant who does not qualify."""

    stage: str
    contestants: int
    pools: int
    asked: int
    go_on: int


@dataclass(frozen=True)
class Format(ABC):
    """A format of a tournament. names: the contestants."""

    names: Sequence[str]

    stages: ClassVar[Mapping[str, float]]
    """The stages in order, with the marks for each."""
    order: ClassVar[str] = BY_POINTS
    """What orders the contestants; BY_POINTS becomes BY_RATE if their numbers of games differ."""
    staff_apart: ClassVar[bool] = False
    """Whether staff players are no contestants like the others, but the second field of the format."""
    usual_staff: ClassVar[Sequence[str]] = ()
    """The staff players that contestants meet if none are named; () if the format needs none."""
    endless: ClassVar[bool] = False
    """Whether games are always due, so that a server plays them, in the sandbox, with bots that are uploaded
    meanwhile."""
    load_seconds: ClassVar[float] = LOAD_SECONDS
    """The usual limit for loading a bot."""

    @classmethod
    def of(cls, teams: Sequence[str], staff: Sequence[str], **options: Any) -> Self:
        """Returns the format for these contestants. options: values of its fields, None for the default; others are
        ignored."""
        own = {each.name for each in fields(cls)}
        given = {name: value for name, value in options.items() if name in own and value is not None}
        sides = (teams, staff) if cls.staff_apart else ([*teams, *staff],)
        return cls(*sides, **given)

    @property
    @abstractmethod
    def games(self) -> int:
        """Returns the total number of games, or its maximum."""

    @abstractmethod
    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        """Returns the unplayed games that can be played now."""

    @abstractmethod
    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        """Returns the results that belong to the current schedule."""

    def ratings_of(self, results: Iterable[Result], names: Sequence[str]) -> Ratings:
        """Returns the ratings of these contestants."""
        return rate(results, names)

    def qualify(self, stage: str) -> int | None:
        """Returns how many contestants of each pool of a stage qualify; None if none do."""
        return None

    def draws(self, results: Iterable[Result]) -> Draws:
        """Returns the draws so far: every group of names that due games depend on."""
        return {}

    def old_draws(self, results: Iterable[Result]) -> list[OldDraw]:
        """Returns the stages whose contestants would differ if drawn now."""
        return []

    def fewer_pools(self, results: Iterable[Result]) -> list[FewerPools]:
        """Returns the drawn stages that have fewer pools than requested."""
        return []


@dataclass(frozen=True)
class League(Format):
    """In each round every pair plays two games, one from each seat."""

    rounds: int = 1
    seed: int = 0

    stages: ClassVar[Mapping[str, float]] = {LEAGUE: MARKS}

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        check_count("a league needs 1 round or more", self.rounds)

    @property
    def games(self) -> int:
        return self.rounds * len(self.names) * (len(self.names) - 1)

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        played = {result.fixture for result in results}
        for number in range(1, self.rounds + 1):
            order = draw_order(self.names, self.seed, LEAGUE, number)
            yield from (game for game in league_games(order, LEAGUE, round_=number) if game not in played)

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        return meetings_of(results, LEAGUE, self.rounds, self.names, self.names)


@dataclass(frozen=True)
class Gauntlet(Format):
    """Every contestant meets each player of a fixed set (staff bots, built-in players), and no others."""

    against: Sequence[str]
    rounds: int = 1

    stages: ClassVar[Mapping[str, float]] = {GAUNTLET: MARKS}
    staff_apart = True
    usual_staff: ClassVar[Sequence[str]] = ("random", "greedy", "alphabeta:level=3")

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names, least=1))
        object.__setattr__(self, "against", checked_names(self.against, least=1))
        both = sorted(set(self.names) & set(self.against))
        if both:
            raise ValueError(f"{both[0]!r} is a contestant and a staff player; leave it out of one list")
        check_count("a gauntlet needs 1 round or more", self.rounds)

    @property
    def games(self) -> int:
        return 2 * self.rounds * len(self.names) * len(self.against)

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        played = {result.fixture for result in results}
        for number in range(1, self.rounds + 1):
            for opponent in self.against:
                for name in self.names:
                    yield from unplayed(Fixture(name, opponent, GAUNTLET, round=number), played)

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        return meetings_of(results, GAUNTLET, self.rounds, self.names, self.against)


@dataclass(frozen=True)
class Course(Format):
    """The course's format: pools drawn by lot, semi-final pools seeded by results, one final league.

    group_pools, semi_pools: maximum numbers of pools. There are fewer if otherwise a pool had no more contestants than
    qualify from it. group_top, semi_top: number of contestants who qualify from each pool. kept_draws: pools by stage,
    as drawn before; names in no pool of the first stage go to the smallest pools, and unknown names are ignored.
    """

    seed: int = 0
    group_pools: int = 10
    group_top: int = 3
    semi_pools: int = 3
    semi_top: int = 3
    rounds: int = 1
    kept_draws: Draws = field(default_factory=dict)

    stages: ClassVar[Mapping[str, float]] = {GROUP: 30, SEMI_FINAL: 10, FINAL: 10}
    order = BY_STAGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        check_count("a stage needs 1 pool or more", self.group_pools, self.semi_pools)
        check_count("1 or more of a pool must qualify", self.group_top, self.semi_top)
        check_count("a pool needs 1 round or more", self.rounds)

    @property
    def games(self) -> int:
        group = [len(pool) for pool in self.pools()]
        semi_final = _sizes(sum(min(size, self.group_top) for size in group), self.semi_pools, self.semi_top)
        final = sum(min(size, self.semi_top) for size in semi_final)
        return self.rounds * sum(size * (size - 1) for size in (*group, *semi_final, final))

    def pools(self) -> list[list[str]]:
        """Returns the pools of the group stage, as drawn."""
        if GROUP not in self.kept_draws:
            count = _pool_count(len(self.names), self.group_pools, self.group_top)
            return dealt(draw_order(self.names, self.seed, "pools"), count)
        pools = self._still_in(self.kept_draws[GROUP])
        placed = {name for pool in pools for name in pool}
        for name in self.names:
            if name not in placed:
                min(pools, key=len).append(name)
        return pools

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        for _, _, waiting in self._stages(results):
            yield from waiting

    def draws(self, results: Iterable[Result]) -> Draws:
        return {stage: pools for stage, pools, _ in self._stages(results)}

    def qualify(self, stage: str) -> int | None:
        return {GROUP: self.group_top, SEMI_FINAL: self.semi_top}.get(stage)

    def old_draws(self, results: Iterable[Result]) -> list[OldDraw]:
        played, found = list(results), []
        for (stage, pools, waiting), following in zip(self._stages(played), [*self.stages][1:], strict=False):
            if following in self.kept_draws and not waiting:
                before = [result for result in played if result.fixture.stage == stage]
                now = {name for pool in self._next_pools(stage, pools, before) for name in pool}
                then = {name for pool in self._still_in(self.kept_draws[following]) for name in pool}
                if now != then:
                    found.append(
                        OldDraw(following, sorted(now - then, key=natural_order), sorted(then - now, key=natural_order))
                    )
        return found

    def fewer_pools(self, results: Iterable[Result]) -> list[FewerPools]:
        asked = {GROUP: (self.group_pools, self.group_top), SEMI_FINAL: (self.semi_pools, self.semi_top)}
        return [
            FewerPools(stage, sum(map(len, pools)), len(pools), *asked[stage])
            for stage, pools, _ in self._stages(results)
            if stage in asked and len(pools) < asked[stage][0]
        ]

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        played = list(results)
        members = {
            (stage, number): set(pool)
            for stage, pools, _ in self._stages(played)
            for number, pool in enumerate(pools, 1)
        }
        return [
            result
            for result in played
            if {result.first, result.second} <= members.get(result.fixture[2:4], set())
            and 1 <= result.fixture.round <= self.rounds
        ]

    def _stages(self, results: Iterable[Result]) -> Iterator[tuple[str, list[list[str]], list[Fixture]]]:
        """Yields (stage, pools, due games) of each stage that has begun or can begin now."""
        by_stage: dict[str, list[Result]] = {stage: [] for stage in self.stages}
        for result in results:
            if result.fixture.stage in by_stage:
                by_stage[result.fixture.stage].append(result)
        pools = self.pools()
        for stage, following in zip(self.stages, (*[*self.stages][1:], ""), strict=True):
            known = {result.fixture for result in by_stage[stage]}
            waiting = [fixture for fixture in self._stage_games(stage, pools) if fixture not in known]
            yield stage, pools, waiting
            if following in self.kept_draws:
                pools = self._still_in(self.kept_draws[following])
            elif waiting or stage == FINAL:
                return
            else:
                pools = self._next_pools(stage, pools, by_stage[stage])

    def _still_in(self, pools: Sequence[Sequence[str]]) -> list[list[str]]:
        present = set(self.names)
        return [[name for name in pool if name in present] for pool in pools]

    def _stage_games(self, stage: str, pools: Sequence[Sequence[str]]) -> Iterator[Fixture]:
        for round_ in range(1, self.rounds + 1):
            for number, pool in enumerate(pools, 1):
                yield from league_games(draw_order(pool, self.seed, stage, round_), stage, number, round_)

    def _next_pools(self, stage: str, pools: Sequence[Sequence[str]], played: Sequence[Result]) -> list[list[str]]:
        """Returns the pools of the stage after a finished one."""
        going_on = seeded(pool_tables(pools, played, self.seed), self.qualify(stage), self.seed)
        if stage == SEMI_FINAL:
            return [going_on]
        return snaked(going_on, _pool_count(len(going_on), self.semi_pools, self.semi_top))


def pool_tables(pools: Sequence[Sequence[str]], played: Sequence[Result], seed: int) -> list[list[Tally]]:
    """Returns the table of each pool, from the games inside it."""
    of_pool: list[list[Result]] = [[] for _ in pools]
    members = [set(pool) for pool in pools]
    for result in played:
        number = result.fixture.pool - 1
        if number < len(pools) and {result.first, result.second} <= members[number]:
            of_pool[number].append(result)
    return [standings(results, pool, seed=seed) for pool, results in zip(pools, of_pool, strict=True)]


def seeded(pool_standings: Sequence[Sequence[Tally]], top: int | None, seed: int) -> list[str]:
    """Returns the qualified contestants in order: all first places, then all second places, each by points per game."""
    rows = [row for table in pool_standings for row in table[:top]]
    rows.sort(key=lambda row: (row.place, -row.points_per_game, -row.score, random_number(seed, "seeding", row.name)))
    return [row.name for row in rows]


def dealt(names: Sequence[str], pools: int) -> list[list[str]]:
    """Deals names to the pools in turn; sizes differ by at most one."""
    return [list(names[number::pools]) for number in range(pools)]


def snaked(names: Sequence[str], pools: int) -> list[list[str]]:
    """Deals names forwards and backwards in turn (1 2 3, 3 2 1, 1 2 3), so that seeded pools are equally strong."""
    parts: list[list[str]] = [[] for _ in range(pools)]
    for number, name in enumerate(names):
        lap, at = divmod(number, pools)
        parts[pools - 1 - at if lap % 2 else at].append(name)
    return parts


def league_games(names: Sequence[str], stage: str, pool: int = 1, round_: int = 1) -> Iterator[Fixture]:
    """Returns every ordered pair once, with the two games of a pair together.

    Uses the circle method: one contestant stays in place and the others rotate, so that all have played about equally
    often at any time. With an odd number, the place opposite is empty.
    """
    circle: list[str | None] = [*names] if len(names) % 2 == 0 else [*names, None]
    for turn in range(len(circle) - 1):
        for low in range(len(circle) // 2):
            one, other = circle[low], circle[-1 - low]
            if one is not None and other is not None:
                game = Fixture(one, other, stage, pool, round_)
                yield from (game, game.returned()) if turn % 2 == 0 else (game.returned(), game)
        circle.insert(1, circle.pop())


def meetings_of(
    results: Iterable[Result], stage: str, rounds: int, ones: Collection[str], others: Collection[str]
) -> list[Result]:
    """Returns the results of a stage's rounds between the two groups."""
    one_set, other_set = set(ones), set(others)

    def belongs(result: Result) -> bool:
        first, second, of_stage, _, round_ = result.fixture
        if of_stage != stage or not 1 <= round_ <= rounds:
            return False
        return (first in one_set and second in other_set) or (second in one_set and first in other_set)

    return [result for result in results if belongs(result)]


def unplayed(game: Fixture, played: Container[Fixture]) -> Iterator[Fixture]:
    """Returns the unplayed games of a pair."""
    return (seat for seat in (game, game.returned()) if seat not in played)


def check_count(rule: str, *counts: int) -> None:
    """Raises ValueError, with the rule, if a number is below 1."""
    for count in counts:
        if count < 1:
            raise ValueError(f"{rule}, not {count}")


def _pool_count(names: int, most: int, top: int) -> int:
    """Returns the number of pools, each with a contestant who does not qualify; at least one."""
    return max(1, min(most, names // (top + 1)))


def _sizes(names: int, most: int, top: int) -> list[int]:
    pools = _pool_count(names, most, top)
    return [len(range(number, names, pools)) for number in range(pools)]
