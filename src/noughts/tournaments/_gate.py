"""The gate in a tournament file: the games that a candidate still has to play there, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from noughts.bots.gate import Gate, GateReport
from noughts.matches.schedule import Contestant, Pairing
from noughts.sandbox.source import BotSource
from noughts.tournaments._entries import GATE, Entry
from noughts.tournaments.results import Fixture
from noughts.tournaments.store import TournamentStore


class GateFixture(NamedTuple):
    """A game at the gate. seed: that of the same game in `noughts check`."""

    seed: int
    fixture: Fixture
    first: Entry
    second: Entry


class TournamentGate:
    """The gate of a tournament. gate: with the tournament's limits. contestants: by version. read: returns what the
    gate found by reading the file of a version.
    """

    def __init__(
        self,
        tournament: TournamentStore,
        gate: Gate,
        contestants: Mapping[int, Contestant],
        read: Callable[[int], GateReport],
    ) -> None:
        self.gate = gate
        self._tournament, self._contestants, self._read = tournament, contestants, read

    def due(self, entry: Entry, round_: int = 1) -> Iterator[GateFixture]:
        """Yields the games of a candidate that are neither played nor in flight."""
        opponents = self._tournament.entries.gate_opponents()
        in_flight = {game.fixture for game in self._tournament.in_flight.values()}
        for seed, opponent, seats in self.gate.due(self._tournament.gate_games(_candidate(entry))):
            other = opponents.get(opponent, entry)
            first, second = (other, entry) if seats == (1,) else (entry, other)
            fixture = Fixture(first.name, second.name, GATE, round=round_)
            if fixture not in in_flight:
                yield GateFixture(seed, fixture, first, second)

    def start(self, game: GateFixture) -> Pairing:
        return replace(self._tournament.start_game(*game[1:]), seed=game.seed)

    def source(self, entry: Entry) -> BotSource:
        """Returns the file of a candidate."""
        source = self._contestants[_candidate(entry)].player
        assert isinstance(source, BotSource)
        return source

    def report(self, entry: Entry, *, records: bool = False) -> GateReport:
        """Returns the report on a candidate with its games so far. records: with what happened in them."""
        version = _candidate(entry)
        games = self._tournament.gate_games(version, records=records)
        return self.gate.report(self.source(entry), self._read(version), games)

    def verdict(self, entry: Entry) -> str | None:
        """Returns why a candidate may not play; '' if it may, None while games that decide are missing."""
        version = _candidate(entry)
        for reason in (self._tournament.entries.gate_result(version), self._read(version).reason or None):
            if not self.gate.is_open(reason):
                return reason
        report = self.report(entry)
        return None if any(self.gate.due(report.games)) else self.gate.reason(report)


def _candidate(entry: Entry) -> int:
    assert entry.candidate_id is not None
    return entry.candidate_id
