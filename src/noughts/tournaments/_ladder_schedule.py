"""A ladder as a schedule of the runner: the teams that used the least worker time, gates first, then placement games,
then the most informative pairs.

It never ends: None means that nothing is due now, and the next call may find a version that was uploaded meanwhile. Its
whole state is in the file, so a killed server continues where it was, except that games in flight are chosen again.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import asdict, dataclass, replace

from noughts.bots.gate import GAMES, Gate
from noughts.bots.wording import check_words
from noughts.matches.schedule import Batch, Contestant, Pairing
from noughts.matches.store import Store
from noughts.printable import counted, one_line
from noughts.tournaments._entries import Entry
from noughts.tournaments._gate import TournamentGate
from noughts.tournaments._ladder import FRIENDLY, KNOWN_ELO, LADDER, Ladder, label
from noughts.tournaments._matchmaker import PLACEMENT
from noughts.tournaments._ratings import Games, Ratings, add_games
from noughts.tournaments._worker_time import WorkerTime
from noughts.tournaments.results import Fixture
from noughts.tournaments.store import TournamentStore

POLL_SECONDS = 0.25
"""Seconds between two looks for new versions in the file."""
GATES_IN_A_ROW = len(GAMES)
"""Number of gate games after which another due game is played, so that constant uploads do not stop the rated games."""
RATE_SECONDS, RATE_SHARE = 1.0, 0.05
"""Minimum seconds between two computations of the ratings, and their maximum share of the time."""

YARDSTICK_GAMES = 5_000
"""Games of yardsticks with replaced versions count if they are among this many latest games."""
FAULT_SHOWN = 300
"""Maximum characters of a fault in the reason for a suspension."""


@dataclass(frozen=True)
class _Due:
    """A game that may be played next. level: of worker time, of the team that has used most."""

    level: int
    start: Callable[[], Pairing]


class LadderSchedule:
    """The schedule of a ladder. contestants: filled with the versions that may have to play."""

    def __init__(self, tournament: TournamentStore, gate: Gate, contestants: MutableMapping[int, Contestant]) -> None:
        self._tournament, self._contestants = tournament, contestants
        self._gate = TournamentGate(tournament, gate, contestants, tournament.entries.findings)
        self._entries: list[Entry] = []
        self._polled_at = self._rated_at = -60.0
        self._pause = RATE_SECONDS
        self._state: object = None
        self._waiting: set[int | None] = set()
        self._in_a_row, self._rated_last = 0, False
        self._time = WorkerTime(tournament)
        self._gate_starts: dict[int, tuple[int, float]] = {}
        """The entry and the start of games at the gate that are in flight, by number."""
        self._begun: set[int] = set()
        """The candidates that have played at the gate."""
        self._planned: deque[tuple[Fixture, Entry, Entry]] = deque()
        """The games of a meeting that have not been started."""
        self._friendlies: list[tuple[int, int, int]] = []
        self._friendlies_played = 0
        self._labels: dict[int, str] = {}
        self._by_label: dict[str, Entry] = {}
        self._ladder = Ladder((), ())
        self._games: Games = {}
        self._last_game = self._new_results = 0
        self._ratings: Ratings | None = None
        self._written: dict[str, tuple[int, int, int, int]] = {}
        self._due: Iterator[Fixture] = iter(())
        self._rounds: dict[tuple[int, int], int] = {}
        self.poll_soon()

    @property
    def waiting(self) -> bool:
        """Returns whether a version waits for its gate or its placement games."""
        placing = self._ratings is None or bool((self._ratings.games[: len(self._ladder.names)] < 2 * PLACEMENT).any())
        return placing or any(entry.waits for entry in self._entries)

    @property
    def is_outdated(self) -> bool:
        """Returns whether staff have changed the limits of bots, so that another run has to begin."""
        return self._tournament.settings.limits != self._gate.gate.limits

    def poll_soon(self) -> None:
        """Makes the next call look for changes in the file."""
        self._polled_at = -60.0

    def batches(self, store: Store) -> Iterator[Batch | None]:
        """Yields the next game; None if there is none now."""
        while True:
            if time.monotonic() - self._polled_at >= POLL_SECONDS:
                self._poll()
                if self.is_outdated:
                    return
            yield self._next_game()

    def _next_game(self) -> Batch | None:
        """Returns the next game; None if nothing is due.

        Teams that have used the least worker time go first. At the same level, meetings and friendly matches take
        turns.
        """
        self._time.update()
        gate, meeting, friendly = self._due_at_the_gate(), self._due_meeting(), self._due_friendly()
        turns = (friendly, meeting) if self._rated_last else (meeting, friendly)
        other = min(filter(None, turns), key=lambda game: game.level, default=None)
        if gate is not None and (other is None or self._is_gate_first(gate, other)):
            self._in_a_row += 1
            return (gate.start(),)
        self._in_a_row = 0
        if other is None:
            return None
        self._rated_last = other is meeting
        return (other.start(),)

    def _is_gate_first(self, gate: _Due, other: _Due) -> bool:
        """Returns whether a game at the gate goes before another game.

        It does if its team has used less time, and at the same level, except after a few gate games. If its team has
        used more, the two kinds share the time equally: slow bots get their verdicts, and do not stop the ladder.
        """
        if gate.level == other.level:
            return self._in_a_row < GATES_IN_A_ROW
        return gate.level < other.level or self._time.at_the_gate <= self._time.elsewhere

    def _level(self, *entries: Entry) -> int:
        """Returns the highest level of worker time among the teams."""
        return max(
            (self._time.level(entry.id, self._in_play(entry)) for entry in entries if not entry.staff), default=0
        )

    def _in_play(self, entry: Entry) -> float:
        """Returns the seconds for which games of an entry at the gate have been in play."""
        now = time.monotonic()
        return sum(now - began for id_, began in self._gates_in_play() if id_ == entry.id)

    def _gates_in_play(self) -> list[tuple[int, float]]:
        """Returns the entry and the start of each game at the gate that is in flight."""
        in_flight = self._tournament.in_flight
        self._gate_starts = {number: began for number, began in self._gate_starts.items() if number in in_flight}
        return list(self._gate_starts.values())

    # Versions come and go.

    def _poll(self) -> None:
        self._entries = self._tournament.entries.all()
        self._polled_at = time.monotonic()
        state = [(entry.id, entry.version_id, entry.removed) for entry in self._entries]
        waiting = {entry.candidate_id for entry in self._entries if entry.waits}
        if state != self._state or waiting != self._waiting:
            self._read_contestants(waiting)
        if state != self._state:
            self._state = state
            self._read_ladder()
        self._read_friendlies()

    def _read_contestants(self, waiting: set[int | None]) -> None:
        """Reads the versions that may have to play. waiting: those at the gate."""
        tournament, self._waiting = self._tournament, waiting
        self._labels = {
            version: label(name, number)
            for version, name, number in tournament.file.rows(
                "SELECT version.id, bot.name, number FROM version JOIN bot ON bot.id = version.bot"
            )
        }
        needed = tournament.versions_in_flight()
        for version in [version for version in self._contestants if version not in needed]:
            del self._contestants[version]
        self._contestants.update(tournament.entries.contestants())
        self._begun &= waiting

    def _read_ladder(self) -> None:
        """Reads the state of the ladder from the file, since other versions play now."""
        tournament, file = self._tournament, self._tournament.file
        playing = [entry for entry in self._entries if entry.plays]
        current = {entry.version_id for entry in playing}
        self._planned = deque(game for game in self._planned if {game[1].version_id, game[2].version_id} <= current)
        active = {entry.version_id: label(entry.name, entry.version or 0) for entry in playing}
        self._by_label = {active[entry.version_id]: entry for entry in playing}
        former = {
            self._labels[version]: elo
            for version, elo, low, high in file.rows(  # one index lookup for each version, not for each rating
                "SELECT version.id, elo, low, high FROM version CROSS JOIN rating ON rating.tournament = ?1 "
                "AND rating.version = version.id AND rating.games = "
                "(SELECT max(games) FROM rating WHERE tournament = ?1 AND version = version.id)",
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
        plays = "SELECT version FROM entry WHERE tournament = ?1 AND version IS NOT NULL AND NOT removed"
        # All games of the teams' versions, but only the latest of yardsticks, whose games pile up.
        games = (
            f"SELECT id FROM game WHERE first_version IN ({plays} AND NOT staff) UNION "
            f"SELECT id FROM game WHERE second_version IN ({plays} AND NOT staff) UNION "
            f"SELECT id FROM game WHERE id > ?3 - ?4 AND (+first_version IN ({plays}) OR +second_version IN ({plays}))"
        )
        counted_games = file.rows(  # grouped by result, so that the number of rows does not grow with the games
            "SELECT first_version, second_version, (first_points > second_points) - (first_points < second_points), "
            "repeated IS NOT NULL, count(*) FROM game CROSS JOIN fixture ON fixture.id = game.fixture "
            f"WHERE game.id IN ({games}) AND tournament = ?1 AND stage = ?2 AND void IS NULL AND game.id <= ?3 "
            "GROUP BY 1, 2, 3, 4",
            *(tournament.id, LADDER, self._last_game, YARDSTICK_GAMES),
        )
        for first, second, sign, repeated, times in counted_games:
            add_games(self._games, self._labels[first], self._labels[second], (sign, 0), times, repeated=bool(repeated))
        if not self._rounds:  # from then on, games are counted here
            for first, second, round_ in file.rows(
                "SELECT first, second, max(round) FROM fixture WHERE tournament = ? AND stage = ? GROUP BY 1, 2",
                *(tournament.id, LADDER),
            ):
                pair = (min(first, second), max(first, second))
                self._rounds[pair] = max(self._rounds.get(pair, 0), round_)
        self._rate()

    def _read_games(self) -> None:
        """Reads the games that were added since the last call."""
        rows = self._tournament.file.rows(
            "SELECT game.id, first_version, second_version, first_points, second_points, faulty, repeated FROM game "
            "CROSS JOIN fixture ON fixture.id = game.fixture "
            "WHERE game.id > ? AND tournament = ? AND stage = ? AND void IS NULL ORDER BY game.id",
            *(self._last_game, self._tournament.id, LADDER),
        )
        if rows:
            self._last_game = rows[-1][0]
            self._new_results += len(rows)
            for _, first, second, ours, theirs, _, repeated in rows:
                names = self._labels[first], self._labels[second]
                add_games(self._games, *names, (ours, theirs), repeated=bool(repeated))
            for _, first, second, _, _, faulty, _ in rows:
                if faulty is not None:
                    self._suspend_if_faulty(second if faulty else first)

    def _suspend_if_faulty(self, version: int) -> None:
        """Suspends a version after too many consecutive faults."""
        entry = next((one for one in self._entries if one.version_id == version and one.plays and not one.staff), None)
        most = self._tournament.settings.faults
        rows = self._tournament.file.rows(
            "SELECT CASE faulty WHEN 0 THEN first_version WHEN 1 THEN second_version END, fixture, fault FROM game "
            "JOIN fixture ON fixture.id = game.fixture WHERE game.id IN "
            "(SELECT id FROM game WHERE first_version = ?1 UNION ALL SELECT id FROM game WHERE second_version = ?1) "
            "AND tournament = ?2 AND stage = ?3 AND void IS NULL ORDER BY game.id DESC LIMIT ?4",
            *(version, self._tournament.id, LADDER, most),
        )
        if entry is None or len(rows) < most or any(loser != version for loser, _, _ in rows):
            return
        _, number, fault = rows[0]
        self._tournament.entries.suspend_version(
            entry,
            f"version {entry.version} is suspended: {counted(most, 'fault')} in a row, the latest in game {number}: "
            f"{one_line(fault or '', FAULT_SHOWN)}",
        )
        self._poll()

    # The gate.

    def _due_at_the_gate(self) -> _Due | None:
        """Returns the next game of a candidate at the gate. Stores the result of candidates that have finished their
        games.

        At the same level, a candidate that has begun goes on to its verdict. Of the others, those whose teams have used
        less go first, and the newest of those that have used nothing, so that it only waits for the game in play.
        """
        in_flight = self._tournament.versions_in_flight()
        playing = Counter(entry for entry, _ in self._gates_in_play())

        def rank(entry: Entry) -> tuple[float, ...]:
            version = entry.candidate_id or 0
            return self._level(entry), playing[entry.id], version not in self._begun, self._time.of(entry.id), -version

        for entry in sorted((entry for entry in self._entries if entry.waits), key=rank):
            version = entry.candidate_id
            assert version is not None
            if version not in self._contestants:  # a newer version has just replaced it
                self.poll_soon()
            elif (due := self._gate_game(entry, version)) is not None:
                return due
            elif version not in in_flight:
                self._decide(entry)
        return None

    def _gate_game(self, entry: Entry, version: int) -> _Due | None:
        """Returns the next game of a candidate, neither played nor in flight; None if there is none."""
        game = next(self._gate.due(entry, int(self._labels[version].rpartition("#")[2])), None)
        if game is None:
            return None

        def start() -> Pairing:
            pairing = self._gate.start(game)
            self._gate_starts[pairing.number] = (entry.id, time.monotonic())
            self._begun.add(version)
            return pairing

        return _Due(self._level(entry), start)

    def _decide(self, entry: Entry) -> None:
        """Stores the result of a candidate."""
        entries, gate = self._tournament.entries, self._gate.gate
        report = self._gate.report(entry, records=True)
        reason, words = gate.reason(report), asdict(check_words(report, self._gate.source(entry), gate))
        entries.record_gate_result(entry, reason, json.dumps(words))
        if not entries.admits(reason):
            entries.wait_again(entry)
        self._poll()

    # Games.

    def _due_meeting(self) -> _Due | None:
        """Returns the next game of a pair; None if no pair should meet now."""
        self._read_games()
        if self._new_results and time.monotonic() - self._rated_at >= self._pause:
            self._rate()
        if not self._planned:
            self._plan_meeting()
        if not self._planned:
            return None
        game = self._planned[0]

        def start() -> Pairing:
            self._planned.popleft()
            return self._tournament.start_game(*game)

        return _Due(self._level(*game[1:]), start)

    def _plan_meeting(self) -> None:
        """Plans the two games of the next pair, if one should meet."""
        fixture = next(self._due, None)
        if fixture is None and self._new_results:  # all were busy, but that may have changed
            self._rate()
            fixture = next(self._due, None)
        if fixture is None:
            return
        next(self._due)  # the other game of the pair
        one, other = self._by_label[fixture.first], self._by_label[fixture.second]
        pair = (min(one.id, other.id), max(one.id, other.id))
        self._rounds[pair] = self._rounds.get(pair, 0) + 1
        game = Fixture(one.name, other.name, LADDER, round=self._rounds[pair])
        self._planned += [(game, one, other), (game.returned(), other, one)]

    def _read_friendlies(self) -> None:
        """Reads the friendly matches that were requested and not played."""
        rows = self._tournament.file.rows(
            "SELECT id, asker, opponent FROM friendly WHERE tournament = ? AND id > ? ORDER BY id",
            *(self._tournament.id, self._friendlies_played),
        )
        self._friendlies = [row for row in rows if self._seats_due(*row)]
        if rows:
            self._friendlies_played = self._friendlies[0][0] - 1 if self._friendlies else rows[-1][0]

    def _seats_due(self, number: int, asker: int, opponent: int) -> list[tuple[int, int]]:
        """Returns the unplayed games of a friendly match as (first, second)."""
        query = (
            "SELECT 1 FROM fixture JOIN game ON game.fixture = fixture.id WHERE tournament = ? AND first = ? AND "
            "second = ? AND stage = ? AND pool = 1 AND round = ? AND void IS NULL"
        )
        return [
            seats
            for seats in ((asker, opponent), (opponent, asker))
            if not self._tournament.file.rows(query, self._tournament.id, *seats, FRIENDLY, number)
        ]

    def _due_friendly(self) -> _Due | None:
        """Returns the next game of the friendly matches that were requested and whose two sides play."""
        playing = {entry.id: entry for entry in self._entries if entry.plays}
        in_flight = {game.fixture for game in self._tournament.in_flight.values()}
        games = [
            (
                Fixture(playing[first].name, playing[second].name, FRIENDLY, round=number),
                playing[first],
                playing[second],
            )
            for number, asker, opponent in self._friendlies
            if asker in playing and opponent in playing
            for first, second in self._seats_due(number, asker, opponent)
        ]
        due = [game for game in games if game[0] not in in_flight]
        if not due:
            return None
        game = min(due, key=lambda game: self._level(*game[1:]))
        return _Due(self._level(*game[1:]), lambda: self._tournament.start_game(*game))

    def _rate(self) -> None:
        """Computes the ratings and stores them; they determine the next games."""
        began = time.monotonic()
        playing = [
            Fixture(self._labels[game.versions[0]], self._labels[game.versions[1]], LADDER)
            for game in self._tournament.in_flight.values()
            if game.fixture.stage == LADDER
        ]
        playing += [
            Fixture(label(one.name, one.version or 0), label(other.name, other.version or 0), LADDER)
            for _, one, other in self._planned
        ]
        levels = {name: self._level(entry) for name, entry in self._by_label.items()}
        ladder = replace(self._ladder, playing=playing, levels=levels)
        self._ratings, self._new_results = ladder.ratings(self._games, self._ratings), 0
        self._due = ladder.due_now(self._games, self._ratings)
        self._keep(self._ratings)
        self._rated_at = time.monotonic()
        self._pause = max(RATE_SECONDS, (self._rated_at - began) / RATE_SHARE)

    def _keep(self, ratings: Ratings) -> None:
        rows, at = [], self._tournament.file.now()
        for rating in ratings.table:
            state = (rating.games, round(rating.elo), round(rating.low), round(rating.high))
            if rating.games and self._written.get(rating.name) != state:
                self._written[rating.name] = state
                version = self._by_label[rating.name].version_id
                rows.append((self._tournament.id, version, rating.games, at, rating.elo, rating.low, rating.high))
        if rows and not self._tournament.is_frozen:
            with self._tournament.file.change():
                for row in rows:
                    self._tournament.file.do("INSERT OR REPLACE INTO rating VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
