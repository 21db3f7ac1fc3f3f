"""A tournament as a schedule of the runner: first the gate, then the format, then more games until the places are sure.

Games are scheduled in pairs, so that one process plays both. Finished games are in the file, so a stopped tournament
continues with the same schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from noughts.bots.gate import ALL
from noughts.matches.schedule import Batch
from noughts.matches.store import Store
from noughts.matches.store_file import StoreError
from noughts.printable import shell_quote
from noughts.tournaments._entries import Entry
from noughts.tournaments._formats import Format
from noughts.tournaments._gate import TournamentGate
from noughts.tournaments.results import Fixture
from noughts.tournaments.store import TournamentStore


class TournamentSchedule:
    """The schedule of a tournament."""

    def __init__(self, tournament: TournamentStore, gate: TournamentGate) -> None:
        self._tournament, self._gate = tournament, gate

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
        tournament, gate = self._tournament, self._gate
        skips = tournament.settings.admit == ALL
        while waiting := [entry for entry in tournament.entries.all() if entry.waits]:
            for entry in waiting:
                if not skips and gate.verdict(entry) is None:
                    yield tuple(map(gate.start, gate.due(entry)))
            while tournament.in_flight:
                yield None
            for entry in waiting:
                reason = gate.verdict(entry)
                assert reason is not None or skips
                tournament.entries.record_gate_result(entry, reason or "", checked=not skips)

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
