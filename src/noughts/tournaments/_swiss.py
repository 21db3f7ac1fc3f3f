"""The Swiss system: in each round, contestants with about equal scores meet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from noughts.tournaments._formats import MARKS, Draws, Format, check_count, meetings_of, unplayed
from noughts.tournaments._matching import NOBODY, matched
from noughts.tournaments.results import Fixture, Result, checked_names, draw_order

SWISS = "swiss"
BYE_SCORE = 2.0
"""For pairing, a contestant with a bye counts as having won both games. Tables do not count them."""


@dataclass(frozen=True)
class Swiss(Format):
    """Rounds of pairs of games, one from each seat, so that seats are always balanced.

    A round is paired when all earlier games are finished. From the best score down, each contestant gets the nearest
    opponent that it has not met (equal scores in an order drawn for each round); pairs meet again only if no pairing of
    the round avoids it. With an odd number, one contestant has a bye: the lowest of those with the fewest byes, such
    that the fewest pairs meet again. rounds: None for two rounds more than are needed to leave one unbeaten.
    kept_draws: pairs and byes of earlier draws, by round; later entrants join the next rounds, and removed contestants
    are left out.
    """

    rounds: int | None = None
    seed: int = 0
    kept_draws: Draws = field(default_factory=dict)

    stages: ClassVar[Mapping[str, float]] = {SWISS: MARKS}

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        if self.rounds is None:
            object.__setattr__(self, "rounds", math.ceil(math.log2(len(self.names))) + 2)
        check_count("a Swiss tournament needs 1 round or more", self.round_count)

    @property
    def round_count(self) -> int:
        assert self.rounds is not None
        return self.rounds

    @property
    def games(self) -> int:
        return self.round_count * (len(self.names) // 2) * 2

    def due(self, results: Iterable[Result]) -> Iterator[Fixture]:
        for _, _, waiting in self._rounds_begun(results):
            yield from waiting

    def draws(self, results: Iterable[Result]) -> Draws:
        return {str(number): groups for number, groups, _ in self._rounds_begun(results)}

    def counting_results(self, results: Iterable[Result]) -> list[Result]:
        played = list(results)
        pairs = {number: {frozenset(group) for group in groups} for number, groups, _ in self._rounds_begun(played)}
        return [
            result
            for result in meetings_of(played, SWISS, self.round_count, self.names, self.names)
            if frozenset((result.first, result.second)) in pairs.get(result.fixture.round, ())
        ]

    def _rounds_begun(self, results: Iterable[Result]) -> Iterator[tuple[int, list[list[str]], list[Fixture]]]:
        """Yields (number, pairs and the bye, due games) of each round that has begun or can begin now."""
        played = {result.fixture: result for result in results if result.fixture.stage == SWISS}
        history = {name: _History() for name in self.names}
        for number in range(1, self.round_count + 1):
            groups = self._groups(history, number)
            games = [Fixture(group[0], group[1], SWISS, round=number) for group in groups if len(group) == 2]
            waiting = [game for first in games for game in unplayed(first, played)]
            yield number, groups, waiting
            if waiting and str(number + 1) not in self.kept_draws:
                return
            for first in games:
                for game in (first, first.returned()):
                    if game in played:
                        score = played[game].score
                        history[game.first].add(game.second, score)
                        history[game.second].add(game.first, 1.0 - score)
            for (bye,) in (group for group in groups if len(group) == 1):
                history[bye].byes += 1
                history[bye].score += BYE_SCORE

    def _groups(self, history: dict[str, _History], number: int) -> list[list[str]]:
        """Returns the pairs of a round and its bye, as drawn before or now."""
        if str(number) in self.kept_draws:
            return [list(group) for group in self.kept_draws[str(number)] if all(name in history for name in group)]
        pairs, bye = self._paired(history, number)
        return [list(pair) for pair in pairs] + ([[bye]] if bye is not None else [])

    def _paired(self, history: dict[str, _History], number: int) -> tuple[list[tuple[str, str]], str | None]:
        """Returns the pairs of a round, the better contestant first, and the bye."""
        order = sorted(draw_order(self.names, self.seed, SWISS, number), key=lambda name: -history[name].score)
        if len(order) % 2 == 0:
            return _pairs(order, history)[0], None
        fewest = min(past.byes for past in history.values())
        best: tuple[list[tuple[str, str]], int, str | None] = [], len(order), None
        for bye in (name for name in reversed(order) if history[name].byes == fewest):
            pairs, again = _pairs([name for name in order if name != bye], history)
            if again < best[1]:
                best = pairs, again, bye
            if again == 0:
                break
        return best[0], best[2]


@dataclass
class _History:
    """The past of a contestant: points, byes, and the number of games against each opponent."""

    score: float = 0.0
    byes: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def add(self, opponent: str, score: float) -> None:
        self.score += score
        self.met[opponent] += 1


def _pairs(order: Sequence[str], history: dict[str, _History]) -> tuple[list[tuple[str, str]], int]:
    """Returns pairs of an even number of names, best first, and the number of pairs that meet again."""

    def strangers(here: int) -> Iterator[int]:
        met = history[order[here]].met
        return (there for there in _nearest(here, len(order)) if order[there] not in met)

    partner = matched(len(order), strangers)
    left = [here for here in range(len(order)) if partner[here] == NOBODY]
    again = len(left) // 2
    while left:
        one = left.pop(0)
        met = history[order[one]].met
        other = min(left, key=lambda there: (met[order[there]], there))
        left.remove(other)
        partner[one], partner[other] = other, one
    return [(order[here], order[there]) for here, there in enumerate(partner) if here < there], again


def _nearest(here: int, count: int) -> Iterator[int]:
    """Returns the others of 0..count-1, nearest first; among equally near ones, the higher number first."""
    for distance in range(1, count):
        if here + distance < count:
            yield here + distance
        if here - distance >= 0:
            yield here - distance
