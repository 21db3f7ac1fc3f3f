"""Everything that is shown of a tournament, read once: status, standings, marks, report, export and page use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from noughts.analysis.mistakes import Review
from noughts.bots.gate import is_admitted
from noughts.matches.record import GameRecord
from noughts.tournaments._entries import Entry, named_entry
from noughts.tournaments._formats import Format
from noughts.tournaments._schedule import formats_of
from noughts.tournaments.results import Result
from noughts.tournaments.reviews import reviews_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentStore, record_of
from noughts.tournaments.summary import SLOW_SHARE, Slow, Standings, Status


@dataclass(frozen=True)
class TournamentView:
    """A tournament as it is now. Each part is read from the file at its first use, and then kept.

    Make another view to see what has changed.
    """

    tournament: TournamentStore

    @cached_property
    def settings(self) -> Settings:
        return self.tournament.settings

    @cached_property
    def entries(self) -> list[Entry]:
        """Returns all entries, in order of entry."""
        return self.tournament.entries.all()

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Returns the teams' pseudonyms by name; none if names are visible."""
        return {entry.name: entry.alias for entry in self.entries if entry.alias and self.settings.pseudonyms}

    def entry(self, name: str) -> Entry:
        """Returns the entry with a name. Raises StoreError if there is none."""
        return named_entry(self.entries, name)

    def status_words(self, entry: Entry) -> str:
        """Returns the status of a bot that did not pass the gate, as the beginning of a sentence."""
        if not entry.plays:
            return "is excluded"
        if is_admitted(self.settings.admit, entry.reason):
            return "plays, with a warning"
        return "plays with its earlier version, since the latest one did not pass"

    @cached_property
    def results(self) -> list[Result]:
        """Returns the results of games between current versions, by number, without gate games."""
        return self.tournament.results(self.entries)

    @cached_property
    def games(self) -> list[dict[str, Any]]:
        """Returns the games that count with their stored facts, by number, without replays."""
        return list(self.tournament.game_rows(replays=False))

    @cached_property
    def records(self) -> dict[int, GameRecord]:
        """Returns the records of the games that count, by id. Raises StoreError if one is damaged."""
        return {row["id"]: record_of(row) for row in self.tournament.game_rows()}

    @cached_property
    def reviews(self) -> dict[int, Review]:
        """Returns the reviews in the file, by the ids of games."""
        return reviews_of(self.tournament)

    def reviewed_games(self, name: str) -> Iterator[tuple[int, GameRecord, Review]]:
        """Yields the reviewed games of a contestant, with their numbers."""
        for row in self.games:
            if name in (row["first"], row["second"]) and row["id"] in self.reviews:
                yield row["number"], self.records[row["id"]], self.reviews[row["id"]]

    @cached_property
    def formats(self) -> list[Format]:
        """Returns the formats, which follow each other, with the current contestants. Raises StoreError if there are
        too few.
        """
        return formats_of(self.tournament, self.entries)

    @cached_property
    def standings(self) -> Standings:
        """Returns the order of the contestants. Raises StoreError if there are too few."""
        form, names = self.formats[0], [entry.name for entry in self.entries if entry.plays]
        counted = form.counting_results(self.results)
        extra = [result for result in self.results if result.fixture.stage not in form.stages]
        return Standings(form, names, counted, extra, self.tournament.seed)

    @cached_property
    def status(self) -> Status:
        """Returns the progress of the tournament. Raises StoreError if there are too few contestants."""
        waiting, first = sum(entry.waits for entry in self.entries), self.formats[0]
        games, total, over = 0, 0, True
        for form in self.formats:
            played = len(form.counting_results(self.results))
            over = over and next(form.due(self.results), None) is None
            games += played
            total += played if over else form.games
        drawn = first.old_draws(self.results), first.fewer_pools(self.results)
        return Status(games, max(games, total), waiting, *drawn)

    @cached_property
    def slow_games(self) -> Slow | None:
        """Returns the games on slow machines; None if all games were played at about the same speed."""
        rows = [(row["speed"], row["machine"], row["number"], row["reason"]) for row in self.games if row["speed"]]
        if not rows:
            return None
        usual = median(speed for speed, *_ in rows)
        slow = [row for row in rows if row[0] < SLOW_SHARE * usual]
        if not slow:
            return None
        worst = min(slow)
        lost = tuple(number for _, _, number, reason in slow if reason == "time")
        return Slow(len(slow), usual, worst[0] / usual, str(worst[1]), lost)
