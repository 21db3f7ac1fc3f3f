"""A tournament as a schedule of the runner: first the gate, then the format, then more games until the places are sure.

Games are scheduled in pairs, so that one process plays both. Finished games are in the file, so a stopped tournament
continues with the same schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby

from noughts.bots.gate import ALL, GAMES, PLAYING, RULES, Gate, GateGame
from noughts.matches.schedule import Batch, Contestant, Pairing
from noughts.matches.store import Store
from noughts.matches.store_file import StoreError
from noughts.printable import shell_quote
from noughts.sandbox.source import BotSource
from noughts.tournaments._entries import GATE, Entry
from noughts.tournaments._formats import Format
from noughts.tournaments.results import Fixture
from noughts.tournaments.store import TournamentStore


class TournamentSchedule:
    """The schedule of a tournament. refused: by version, why a file is refused before its gate games."""

    def __init__(self, tournament: TournamentStore, gate: Gate, refused: dict[int, str] | None = None) -> None:
        self._tournament, self._gate = tournament, gate
        self._refused = refused or {}

    def batches(self, store: Store) -> Iterator[Batch | None]:
        """Yields every pair of games that is due and not in the file. store: the tournament."""
        yield from self._gate_games()
        known = self._tournament.entries.all()
        entries = {entry.name: entry for entry in known if entry.plays}
        while True:
            forms, results = formats_of(self._tournament, known), self._tournament.results(known)
            self._tournament.keep_draws(forms[0].draws(results))
            for form in forms:
                due = form.due(results)
                fixture = next(due, None)
                if fixture is not None:
                    yield from self._batches_due(chain([fixture], due), entries)
                    break
            else:
                return

    def _gate_games(self) -> Iterator[Batch | None]:
        """Yields the gate's games of every candidate, then stores the result. A tournament that admits all skips the
        games."""
        tournament = self._tournament
        skips = tournament.settings.admit == ALL
        while waiting := [entry for entry in tournament.entries.all() if entry.waits]:
            known = tournament.entries.contestants()
            for entry in waiting:
                assert entry.candidate_id is not None
                if not skips and self._verdict(entry, known) is None:
                    yield tuple(self._gate_pairings(entry, tournament.gate_games(entry.candidate_id)))
            while tournament.in_flight:
                yield None
            for entry in waiting:
                reason = self._verdict(entry, known)
                assert reason is not None or skips
                tournament.entries.record_gate_result(entry, reason or "", checked=not skips)

    def _gate_pairings(self, entry: Entry, played: Sequence[GateGame], round_: int = 1) -> Iterator[Pairing]:
        """Yields the games of a candidate at the gate that are neither played nor in flight, and starts each.

        Their seeds are those of the same games in `noughts check`.
        """
        for seed, fixture, first, second in self._gate_games_due(entry, played, round_):
            yield replace(self._tournament.start_game(fixture, first, second), seed=seed)

    def _gate_games_due(
        self, entry: Entry, played: Sequence[GateGame], round_: int = 1
    ) -> Iterator[tuple[int, Fixture, Entry, Entry]]:
        """Yields the same games without starting them: (seed, fixture, first, second)."""
        opponents = self._tournament.entries.gate_opponents()
        done = {(game.opponent, game.seats) for game in played}
        in_flight = {game.fixture for game in self._tournament.in_flight.values()}
        for seed, (opponent, seats) in enumerate(GAMES):
            other = opponents.get(opponent, entry)
            first, second = (other, entry) if seats == (1,) else (entry, other)
            fixture = Fixture(first.name, second.name, GATE, round=round_)
            if (opponent, seats) not in done and fixture not in in_flight:
                yield seed, fixture, first, second

    def _verdict(self, entry: Entry, known: Mapping[int, Contestant]) -> str | None:
        """Returns why the candidate may not play; '' if it may, None if unknown."""
        version = entry.candidate_id
        assert version is not None
        entries = self._tournament.entries
        refusal = self._refused.get(version) or entries.gate_result(version)
        if refusal is not None and not (self._tournament.settings.admit == PLAYING and refusal.startswith(RULES)):
            return refusal
        source = known[version].player
        assert isinstance(source, BotSource)
        played = self._gate.verdict(self._tournament.gate_games(version), source)
        return played if played is None else played or refusal or ""

    def _batches_due(self, due: Iterable[Fixture], entries: dict[str, Entry]) -> Iterator[Batch | None]:
        """Yields the due games, a pair at a time, then None until all of them have ended."""
        for _, games in groupby(due, key=lambda fixture: {fixture, fixture.returned()}):
            yield tuple(
                self._tournament.start_game(fixture, entries[fixture.first], entries[fixture.second])
                for fixture in games
            )
        while self._tournament.in_flight:
            yield None


def formats_of(tournament: TournamentStore, entries: Sequence[Entry]) -> list[Format]:
    """Returns the formats, which follow each other, with the current contestants. Raises StoreError if there are too
    few. entries: of the tournament.
    """
    settings = tournament.settings
    names = [entry.name for entry in entries if entry.plays]
    staff = {entry.name for entry in entries if entry.plays and entry.staff}
    if tournament.kind.usual_staff and not staff:
        raise StoreError(f"a {settings.format} needs staff players; name some, as in --staff random")
    try:
        return settings.make_formats(names, staff, seed=tournament.seed, kept_draws=tournament.draws())
    except ValueError as error:
        waiting = sum(entry.waits for entry in entries)
        if waiting:
            bots = "1 new bot waits for its" if waiting == 1 else f"{waiting} new bots wait for their"
            again = f"`noughts tournament run --file {shell_quote(tournament.file.path)}` continues"
            raise StoreError(f"nothing has been played yet: {bots} check; {again}") from None
        raise StoreError(f"nothing to play: {error}") from None
