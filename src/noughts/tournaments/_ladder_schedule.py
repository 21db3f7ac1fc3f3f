"""A ladder as a schedule of the runner: gates first, then placement games, then the pairs that tell most.

It never ends: None means that nothing is due now, and the next question may find a version that was uploaded meanwhile.
Everything that it knows is in the file, so a server that was killed goes on where it was; games that were being played
are played again, or others that tell more by now.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any

from noughts.bots.gate import GAMES, Gate, GateReport
from noughts.bots.wording import check_words
from noughts.matches.schedule import Batch, Contestant, Pairing
from noughts.matches.store import Store
from noughts.matches.store_file import now
from noughts.sandbox import ForkServer
from noughts.sandbox.source import BotSource
from noughts.tournaments._entries import Entry
from noughts.tournaments._ladder import KNOWN_ELO, LADDER, Games, Ladder, LadderRatings, add_result, label
from noughts.tournaments._matchmaker import PLACEMENT
from noughts.tournaments._schedule import GATE, TournamentSchedule
from noughts.tournaments.results import Fixture, Result
from noughts.tournaments.store import TournamentStore

LOOK_SECONDS = 0.25
"""How often the file is asked for new versions."""
RATE_SECONDS, RATE_SHARE = 1.0, 0.05
"""Ratings are made again after so long, and so seldom that it takes no more than this share of the time."""


class LadderSchedule(TournamentSchedule):
    """What is to be played on a ladder. contestants: is filled with the versions that may have to play. Close it."""

    def __init__(self, tournament: TournamentStore, gate: Gate, contestants: MutableMapping[int, Contestant]) -> None:
        super().__init__(tournament)
        self._gate_rules, self._contestants = gate, contestants
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="gate")
        self._server: ForkServer | None = None
        self._readings: dict[int, Future[GateReport]] = {}
        self._entries: list[Entry] = []
        self._looked = self._rated = -60.0
        self._pause = RATE_SECONDS
        self._state: object = None
        self._labels: dict[int, str] = {}
        self._by_label: dict[str, Entry] = {}
        self._ladder = Ladder((), ())
        self._games: Games = {}
        self._last_game = self._new_results = 0
        self._ratings: LadderRatings | None = None
        self._written: dict[str, tuple[int, int, int, int]] = {}
        self._due: Iterator[Fixture] = iter(())
        self._rounds: dict[tuple[int, int], int] = {}
        self._playing: dict[int, Fixture] = {}
        self.look_again()

    def close(self) -> None:
        self._reader.submit(self._close_server)
        self._reader.shutdown()

    @property
    def waiting(self) -> bool:
        """Returns whether a version waits for its gate or its placement games."""
        placing = self._ratings is None or bool((self._ratings.games[: len(self._ladder.names)] < 2 * PLACEMENT).any())
        return placing or any(entry.candidate_id and not entry.removed for entry in self._entries)

    def look_again(self) -> None:
        """Asks the file for changes before the next game."""
        self._looked = -60.0

    def batches(self, store: Store) -> Iterator[Batch | None]:
        """Yields the games to be played next; None if there are none now."""
        while True:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                self._look()
            meeting = self._next_gate_game() or self._next_meeting()
            if meeting is None and self._readings and not self._tournament.in_flight:
                wait(self._readings.values(), LOOK_SECONDS)
                continue
            yield meeting

    # Versions come and go.

    def _look(self) -> None:
        self._entries = self._tournament.entries.all()
        self._looked = time.monotonic()
        state = [(entry.id, entry.version_id, entry.candidate_id, entry.removed) for entry in self._entries]
        if state != self._state:
            self._state = state
            self._begin()

    def _begin(self) -> None:
        """Reads from the file what there is to know, now that other versions play."""
        tournament, file = self._tournament, self._tournament.file
        playing = [entry for entry in self._entries if entry.plays]
        active = {entry.version_id: label(entry.name, entry.version or 0) for entry in playing}
        self._labels = {
            version: label(name, number)
            for version, name, number in file.rows(
                "SELECT version.id, bot.name, number FROM version JOIN bot ON bot.id = version.bot"
            )
        }
        self._by_label = {active[entry.version_id]: entry for entry in playing}
        former = {
            self._labels[version]: elo
            for version, elo, low, high, _ in file.rows(
                "SELECT version, elo, low, high, max(games) FROM rating WHERE tournament = ? GROUP BY version",
                tournament.id,
            )
            if version not in active and high - low <= 2 * KNOWN_ELO
        }
        staff = {active[entry.version_id] for entry in playing if entry.staff}
        self._ladder = Ladder(
            [name for name in active.values() if name not in staff],
            [name for name in active.values() if name in staff],
            former,
            seed=tournament.seed,
        )
        self._games = {}
        ((self._last_game,),) = file.rows("SELECT coalesce(max(id), 0) FROM game")
        playing_now = "IN (SELECT version FROM entry WHERE tournament = ?1 AND version IS NOT NULL AND NOT removed)"
        self._take(
            file.rows(
                "SELECT game.id, first_version, second_version, first_points, second_points FROM game "
                f"JOIN fixture ON fixture.id = game.fixture WHERE (first_version {playing_now} OR second_version "
                f"{playing_now}) AND tournament = ?1 AND stage = ?2 AND void IS NULL AND game.id <= ?3",
                *(tournament.id, LADDER, self._last_game),
            )
        )
        self._rounds = {
            (min(first, second), max(first, second)): round_
            for first, second, round_ in file.rows(
                "SELECT min(first, second), max(first, second), max(round) FROM fixture "
                "WHERE tournament = ? AND stage = ? GROUP BY 1, 2",
                *(tournament.id, LADDER),
            )
        }
        needed = {version for pair in tournament.versions_in_flight().values() for version in pair}
        for version in [version for version in self._contestants if version not in needed]:
            del self._contestants[version]
        self._contestants.update(tournament.entries.contestants())
        waiting = {entry.candidate_id for entry in self._entries}
        self._readings = {version: each for version, each in self._readings.items() if version in waiting}
        self._rate()

    def _read_games(self) -> None:
        """Takes in the games that were added since the last time."""
        rows = self._tournament.file.rows(
            "SELECT game.id, first_version, second_version, first_points, second_points FROM game "
            "CROSS JOIN fixture ON fixture.id = game.fixture "
            "WHERE game.id > ? AND tournament = ? AND stage = ? AND void IS NULL ORDER BY game.id",
            *(self._last_game, self._tournament.id, LADDER),
        )
        if rows:
            self._last_game = rows[-1][0]
            self._new_results += len(rows)
            self._take(rows)

    def _take(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for _, first, second, ours, theirs in rows:
            fixture = Fixture(self._labels[first], self._labels[second], LADDER)
            add_result(self._games, Result(fixture, (ours, theirs)))

    # The gate.

    def _next_gate_game(self) -> Batch | None:
        """Returns a game of a candidate at the gate. Candidates whose games are all played get their result."""
        waiting = [entry for entry in self._entries if entry.candidate_id and not entry.removed]
        in_flight = self._tournament.versions_in_flight()
        for entry in sorted(waiting, key=lambda entry: entry.candidate_id or 0):
            version = entry.candidate_id
            assert version is not None
            report = self._read(version)
            if report is None:
                continue
            if self._tournament.entries.gate_result(version) is not None or not self._may_play(report):
                self._decide(entry, report)
                continue
            if meeting := self._gate_game(entry, version):
                return meeting
            if not any(version in pair for pair in in_flight.values()):
                self._decide(entry, report)
        return None

    def _read(self, version: int) -> GateReport | None:
        """Returns what reading the file found; None while it is read, in a thread of its own."""
        if version not in self._contestants:  # a newer one has taken its place just now
            self.look_again()
            return None
        source = self._contestants[version].player
        assert isinstance(source, BotSource)
        if version not in self._readings:
            self._readings[version] = self._reader.submit(self._read_file, source)
        return self._readings[version].result() if self._readings[version].done() else None

    def _read_file(self, source: BotSource) -> GateReport:
        if self._server is None:
            self._server = ForkServer()
        return self._gate_rules.read(source, self._server)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()

    def _may_play(self, report: GateReport) -> bool:
        return self._tournament.entries.admits(report.reason)

    def _gate_game(self, entry: Entry, version: int) -> Batch | None:
        """Returns the next game of a candidate that was neither played nor is being played; None if there is none."""
        opponents = self._tournament.entries.gate_opponents()
        taken = [self._playing.get(number) for number in self._tournament.versions_in_flight()]
        games = self._tournament.gate_games(version)
        if any(game.fault is not None and game.fault.loading for game in games):
            return None  # the others would end the same
        played = {(game.opponent, game.seats) for game in games}
        for seed, (opponent, seats) in enumerate(GAMES):
            other = opponents.get(opponent, entry)
            first, second = (other, entry) if seats == (1,) else (entry, other)
            fixture = Fixture(first.name, second.name, GATE, round=self._number(version))
            if (opponent, seats) in played or fixture in taken:
                continue
            versions = [each.candidate_id or each.version_id or 0 for each in (first, second)]
            pairing = self._start(fixture, first, second, (versions[0], versions[1]))
            return (replace(pairing, seed=seed),)
        return None

    def _number(self, version: int) -> int:
        return int(self._labels[version].rpartition("#")[2])

    def _decide(self, entry: Entry, read: GateReport) -> None:
        """Keeps the result of a candidate."""
        version = entry.candidate_id
        assert version is not None
        source = self._contestants[version].player
        assert isinstance(source, BotSource)
        entries = self._tournament.entries
        report = deepcopy(read)
        if self._may_play(read):
            games = self._tournament.gate_games(version)
            for game in sorted(games, key=lambda game: GAMES.index((game.opponent, game.seats))):
                report.add(game, source)
        words = asdict(check_words(report, source, self._gate_rules))
        entries.record_gate_result(entry, report.reason, json.dumps(words))
        self._readings.pop(version, None)
        self._look()

    # Games.

    def _next_meeting(self) -> Batch | None:
        """Returns the two games of the pair that should meet next; None if nobody should now."""
        self._read_games()
        if self._new_results and time.monotonic() - self._rated >= self._pause:
            self._rate()
        fixture = next(self._due, None)
        if fixture is None and self._new_results:  # everybody was busy: perhaps not any more
            self._rate()
            fixture = next(self._due, None)
        if fixture is None:
            return None
        returned = next(self._due)
        one, other = self._by_label[fixture.first], self._by_label[fixture.second]
        pair = (min(one.id, other.id), max(one.id, other.id))
        self._rounds[pair] = self._rounds.get(pair, 0) + 1
        return tuple(self._game(game._replace(round=self._rounds[pair])) for game in (fixture, returned))

    def _game(self, fixture: Fixture) -> Pairing:
        first, second = self._by_label[fixture.first], self._by_label[fixture.second]
        assert first.version_id is not None
        assert second.version_id is not None
        pairing = self._start(
            fixture._replace(first=first.name, second=second.name), first, second, (first.version_id, second.version_id)
        )
        self._playing[pairing.number] = fixture
        return pairing

    def _start(self, fixture: Fixture, first: Entry, second: Entry, versions: tuple[int, int]) -> Pairing:
        pairing = self._pairing(fixture, first, second, versions)
        in_flight = self._tournament.versions_in_flight()
        self._playing = {number: game for number, game in self._playing.items() if number in in_flight}
        self._playing[pairing.number] = fixture
        return pairing

    def _rate(self) -> None:
        """Makes the ratings anew, keeps them in the file, and the next games follow from them."""
        began = time.monotonic()
        in_flight = self._tournament.versions_in_flight()
        playing = [game for number, game in self._playing.items() if number in in_flight and game.stage == LADDER]
        ladder = replace(self._ladder, playing=playing)
        self._ratings, self._new_results = ladder.ratings(self._games, self._ratings), 0
        self._due = ladder.due_now(self._games, self._ratings)
        self._keep(self._ratings)
        self._rated = time.monotonic()
        self._pause = max(RATE_SECONDS, (self._rated - began) / RATE_SHARE)

    def _keep(self, ratings: LadderRatings) -> None:
        rows, at = [], now()
        for rating in ratings.table():
            state = (rating.games, round(rating.elo), round(rating.low), round(rating.high))
            if rating.games and self._written.get(rating.name) != state:
                self._written[rating.name] = state
                version = self._by_label[rating.name].version_id
                rows.append((self._tournament.id, version, rating.games, at, rating.elo, rating.low, rating.high))
        if rows and not self._tournament.is_frozen:
            with self._tournament.file.change():
                for row in rows:
                    self._tournament.file.do("INSERT OR REPLACE INTO rating VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
