"""Plays the most informative games until the first places are sure or a budget is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from noughts.tournaments._certainty import Certainty, by_rating
from noughts.tournaments._formats import Format, check_count, meetings_of, unplayed
from noughts.tournaments._ratings import rate
from noughts.tournaments.results import Fixture, Result, checked_names, random_number
from noughts.tournaments.standings import BY_RATING

UNTIL_SURE = "until-sure"


@dataclass(frozen=True)
class UntilSure(Format):
    """A format that follows another one. It ranks by rating, since the numbers of games differ.

    The first `places` places are sure when each contestant there belongs there or higher with the certainty `sure`.
    Until then, those at unsure places meet those most likely to be wrongly behind them, `pairs` pairs at a time; then
    the ratings are computed again. budget: maximum games.
    """

    places: int = 3
    sure: float = 0.9
    budget: int = 1000
    pairs: int = 8
    seed: int = 0

    stages: ClassVar[Mapping[str, float]] = {UNTIL_SURE: 0.0}
    order = BY_RATING

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        if not 0.5 <= self.sure < 1:
            raise ValueError(f"the certainty must be at least 50% and less than 100%, not {self.sure:.4%}")
        if self.budget < 0:
            raise ValueError(f"the budget must be 0 games or more, not {self.budget}")
        check_count("the number of places must be 1 or more", self.places)
        check_count("the number of pairs must be 1 or more", self.pairs)

    @property
    def games(self) -> int:
        return self.budget // 2 * 2

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        """Returns the due games. A batch depends only on earlier games, so it is the same when resumed."""
        played = list(results)
        own = {result.fixture for result in played if result.fixture.stage == UNTIL_SURE}
        last = max((fixture.round for fixture in own), default=0)
        for number in (last, last + 1):
            before = [
                result for result in played if result.fixture.stage != UNTIL_SURE or result.fixture.round < number
            ]
            batch = self._batch(before, number) if number else []
            waiting = [game for first in batch for game in unplayed(first, own)]
            if waiting:
                yield from waiting
                return

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        return meetings_of(results, UNTIL_SURE, self.budget, self.names, self.names)

    def certainty(self, results: Iterable[Result], number: int = 0) -> Certainty:
        """Returns the certainty of the order by ratings before a batch."""
        return by_rating(rate(results, self.names), seed=random_number(self.seed, UNTIL_SURE, number))

    def _batch(self, before: Sequence[Result], number: int) -> list[Fixture]:
        """Returns the first game of each pair of a batch; none if all places are sure or the budget is spent."""
        spent = sum(result.fixture.stage == UNTIL_SURE for result in before)
        count = min(self.pairs, (self.budget - spent) // 2)
        if count < 1:
            return []
        certainty = self.certainty(before, number)
        doubts = [
            (certainty.above(behind, certainty.names[place - 1]), place, behind)
            for place in range(1, min(self.places, len(self.names) - 1) + 1)
            if certainty.sure(place) < self.sure
            for behind in certainty.names[place:]
        ]
        doubts.sort(key=lambda doubt: (-doubt[0], doubt[1:]))
        return [
            Fixture(certainty.names[place - 1], behind, UNTIL_SURE, round=number) for _, place, behind in doubts[:count]
        ]
