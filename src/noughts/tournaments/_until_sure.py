"""More games where they tell most, until the first places are sure or a budget is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from noughts.tournaments._certainty import Certainty, by_rating
from noughts.tournaments._formats import Format, check_count, meetings_of, unplayed
from noughts.tournaments._ratings import rate
from noughts.tournaments.results import Fixture, Result, checked_names, lot

UNTIL_SURE = "until-sure"


@dataclass(frozen=True)
class UntilSure(Format):
    """What is played after another format is done. It counts by rating, since not all play equally often.

    The first `places` places are sure when who stands at each belongs there or higher with the certainty `sure`. Until
    then those who stand at unsure places meet those who are most likely to be wrongly behind them, `pairs` pairs at a
    time; then all is computed again. budget: the most games.
    """

    names: Sequence[str]
    places: int = 3
    sure: float = 0.9
    budget: int = 1000
    pairs: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        if not 0.5 <= self.sure < 1:
            raise ValueError(f"places can be sure to 50% or more and less than 100%, not {self.sure:.4%}")
        if self.budget < 0:
            raise ValueError(f"a budget is 0 games or more, not {self.budget}")
        check_count("there is 1 place or more to be sure of", self.places)
        check_count("1 pair or more is played at a time", self.pairs)

    @property
    def games(self) -> int:
        return self.budget // 2 * 2

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        """Games that are due now. A batch depends on what was played before it, so it is the same when resumed."""
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
        """Returns how sure the order by ratings is before the batch of this number."""
        return by_rating(rate(results, self.names), seed=lot(self.seed, UNTIL_SURE, number))

    def _unsure(self, certainty: Certainty) -> list[int]:
        last = min(self.places, len(self.names) - 1)
        return [place for place in range(1, last + 1) if certainty.sure(place) < self.sure]

    def _batch(self, before: Sequence[Result], number: int) -> list[Fixture]:
        """The first game of each pair of the batch of this number; none if all is sure or the budget is spent."""
        spent = sum(result.fixture.stage == UNTIL_SURE for result in before)
        count = min(self.pairs, (self.budget - spent) // 2)
        if count < 1:
            return []
        certainty = self.certainty(before, number)
        doubts = [
            (certainty.above(behind, certainty.names[place - 1]), place, behind)
            for place in self._unsure(certainty)
            for behind in certainty.names[place:]
        ]
        doubts.sort(key=lambda doubt: (-doubt[0], doubt[1:]))
        return [
            Fixture(certainty.names[place - 1], behind, UNTIL_SURE, round=number) for _, place, behind in doubts[:count]
        ]
