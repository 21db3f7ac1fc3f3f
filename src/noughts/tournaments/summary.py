"""Summarises a tournament: tables, the order of contestants, ratings, certainty, and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from noughts.document import html_table
from noughts.matches.tally import Tally
from noughts.tournaments._certainty import SAMPLES, Certainty, by_points, by_rating
from noughts.tournaments._entries import Entry
from noughts.tournaments._formats import FewerPools, Format, OldDraw
from noughts.tournaments._ratings import Rating, Ratings
from noughts.tournaments.lateness import late_words
from noughts.tournaments.results import Result
from noughts.tournaments.standings import BY_POINTS, BY_RATE, BY_RATING, BY_STAGE, standings, tables

SLOW_SHARE = 0.85
"""A machine is slow if its speed was below this share of the usual speed."""
DRAWS_TIMES_MEETINGS = 8_000_000
FEWEST_DRAWS = 100


@dataclass(frozen=True)
class Standings:
    """The results of a tournament by one order of its contestants.

    results: those that count in tables. extra: results of the additional games until the places were sure, which count
    only in ratings.
    """

    form: Format
    names: Sequence[str]
    results: Sequence[Result]
    extra: Sequence[Result]
    seed: int

    def __iter__(self) -> Iterator[Tally]:
        return iter(self.order)

    def __len__(self) -> int:
        return len(self.order)

    def _repr_html_(self) -> str:
        """Returns a table, for a notebook."""
        heads = ("place", "player", "games", "won", "drawn", "lost", "points", "Elo")
        rows = [
            (row.place, row.name, row.games, row.won, row.drawn, row.lost, row.points, self.rating_of[row.name])
            for row in self.order
        ]
        return html_table(heads, rows)

    @cached_property
    def stages(self) -> dict[tuple[str, int], list[Tally]]:
        """Returns a table for each stage and pool."""
        return tables(self.results, seed=self.seed)

    @cached_property
    def order(self) -> list[Tally]:
        """Returns all contestants with their games of the format, best first.

        By rating on a ladder and after games until the places were sure; in a course by how far they came and their
        place there; else by points, or by points per game if the numbers of games differ.
        """
        rows = standings(self.results, self.names, by="auto", seed=self.seed)
        if self.ordered_by == BY_RATING:
            place = {rating.name: number for number, rating in enumerate(self.ratings.table)}
            rows.sort(key=lambda row: place[row.name])
        elif self.ordered_by == BY_STAGE:
            reached = {row.name: self._stage_order(row.name) for row in rows}
            rows.sort(key=lambda row: reached[row.name])
        for number, row in enumerate(rows, 1):
            row.place = number
            if self.ordered_by in (BY_RATING, BY_STAGE):
                row.tie_break = ""
        return rows

    @cached_property
    def ordered_by(self) -> str:
        """Returns the measure of the order: BY_RATING, BY_STAGE, BY_RATE or BY_POINTS."""
        order = BY_RATING if self.extra else self.form.order
        if order != BY_POINTS:
            return order
        games = Counter(name for result in self.results for name in (result.first, result.second))
        return BY_RATE if len({games[name] for name in {*self.names, *games}}) > 1 else BY_POINTS

    @cached_property
    def measures(self) -> tuple[dict[str, float], str]:
        """Returns each contestant's measure, and its unit. It never increases down the table."""
        if self.ordered_by == BY_RATING:
            return self.ratings.expected_scores, "expected score by rating"
        if self.ordered_by == BY_RATE:
            return {row.name: row.points_per_game for row in self.order}, "points per game"
        return {row.name: float(row.points) for row in self.order}, "points"

    @cached_property
    def stages_reached(self) -> dict[str, str]:
        """Returns the last stage that each contestant of a course reached, with the place in its pool: "semi-final
        2".
        """
        if self.form.order != BY_STAGE:
            return {}
        order = [*self.form.stages]
        tables = sorted(self.stages.items(), key=lambda item: order.index(item[0][0]))
        return {row.name: f"{stage} {row.place}" for (stage, _), table in tables for row in table}

    @cached_property
    def not_qualified(self) -> dict[str, str]:
        """Returns why contestants of a course are not in the next stage, which has begun."""
        names = {stage: {row.name for row in rows} for (stage, _), rows in self.stages.items()}
        found = {}
        following = dict(pairwise(self.form.stages))
        for (stage, pool), rows in self.stages.items():
            top, after = self.form.qualify(stage), following.get(stage)
            if top is None or after not in names:
                continue
            for row in rows:
                if row.name not in names[after]:
                    found[row.name] = (
                        f"not in the {after}: place {row.place} of {len(rows)} in pool {pool} of the {stage} stage, "
                        f"of which {top} qualify"
                    )
        return found

    def _stage_order(self, name: str) -> tuple[float, ...]:
        """Returns a sort key, smaller is better: stages not reached, place in the last one, points per game there."""
        found = {stage: row for (stage, _), table in self.stages.items() for row in table if row.name == name}
        for missing, stage in enumerate(reversed([*self.form.stages])):
            if stage in found:
                return missing, found[stage].place, -found[stage].points_per_game, -found[stage].score
        return (len(self.form.stages),)

    @cached_property
    def ratings(self) -> Ratings:
        return self.form.ratings_of([*self.results, *self.extra], self.names)

    @cached_property
    def rating_of(self) -> dict[str, Rating]:
        return {rating.name: rating for rating in self.ratings.table}

    @cached_property
    def certainty(self) -> Certainty:
        """Returns the certainty of the order: by ratings if these order the table, else by the points of the last
        stage.
        """
        if self.ordered_by == BY_RATING:
            return by_rating(self.ratings, seed=self.seed)
        played, names, table = self.results, self.names, None
        last = [*self.form.stages][-1]
        if self.ordered_by != BY_STAGE:
            table = [row.name for row in self.order]
        elif finalists := [row.name for (stage, _), rows in self.stages.items() if stage == last for row in rows]:
            played = [result for result in self.results if result.fixture.stage == last]
            names = finalists
        draws = min(SAMPLES, max(FEWEST_DRAWS, DRAWS_TIMES_MEETINGS // max(1, len(played))))
        return by_points(played, names, table=table, samples=draws, seed=self.seed)

    def facts(self, entries: Iterable[Entry], top: int = 3) -> list[dict[str, Any]]:
        """Returns the order as plain data. entries: of the tournament. top: number of first places whose certainty is
        included.
        """
        entry_of = {entry.name: entry for entry in entries}
        known = set(self.certainty.names)
        return [
            {
                "place": row.place,
                "name": row.name,
                "version": entry_of[row.name].version,
                "late": late_words(entry_of[row.name].late),
                "staff": entry_of[row.name].staff,
                **row.to_data(),
                "points_per_game": round(row.points_per_game, 4),
                "score": round(row.score, 4),
                "reached": self.stages_reached.get(row.name),
                "elo": round(self.rating_of[row.name].elo, 1),
                "elo_low": round(self.rating_of[row.name].low, 1),
                "elo_high": round(self.rating_of[row.name].high, 1),
                "component": self.rating_of[row.name].component,
                f"top_{top}": round(self.certainty.top(row.name, top), 3) if row.name in known else None,
            }
            for row in self.order
        ]


@dataclass(frozen=True)
class Status:
    """The progress of a tournament. games: number that count. total: final number, or its maximum. waiting: bots at the
    gate.

    old_draws, fewer_pools: remarks on the draws of a course.
    """

    games: int
    total: int
    waiting: int
    old_draws: Sequence[OldDraw] = ()
    fewer_pools: Sequence[FewerPools] = ()

    @property
    def finished(self) -> bool:
        return self.waiting == 0 and self.games >= self.total


@dataclass(frozen=True)
class Slow:
    """Games on a slow machine. usual: the median speed of all games. worst: the slowest game's share of it. lost:
    numbers of slow games that were lost on time.
    """

    games: int
    usual: float
    worst: float
    machine: str
    lost: tuple[int, ...]
