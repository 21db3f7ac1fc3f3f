"""A tournament file: one or more tournaments in a SQLite database.

`TournamentFile` is the file; `TournamentStore` is one tournament in it, and the store of its runs: a game is on the
disk when `add` returns. `matches.store_file` has the tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from noughts.bots.gate import ALL, GAMES, ITSELF, GateGame
from noughts.database import VALUE
from noughts.files import slug
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.replays import fault_from_json, from_json, to_json
from noughts.matches.schedule import Pairing
from noughts.matches.seeds import SEED_BITS, checked_seed, derive_seed, draw_seed
from noughts.matches.store import STAGE, Store
from noughts.matches.store_file import StoreError, StoreFile
from noughts.players.text_seat import Exchange
from noughts.printable import shell_quote
from noughts.tournaments._entries import GATE, GATE_OPPONENTS, Entries, Entry
from noughts.tournaments._formats import Draws, Format
from noughts.tournaments._ladder import FRIENDLY
from noughts.tournaments._until_sure import UntilSure
from noughts.tournaments.names import natural_order
from noughts.tournaments.results import Fixture, Result, gc_paused
from noughts.tournaments.settings import FORMATS, Settings
from noughts.untrusted import parse_json

TEAM_PRINTS = 16 << 20
"""Maximum bytes of prints that a tournament keeps for a team."""
GAME_SEED_BITS = 53
"""Size of seeds: too many to search during a game, and exact in every JSON reader."""


class TournamentFile(StoreFile):
    """The file, with the tournaments in it."""

    KIND = "tournament file"
    MAKE = "`noughts tournament run BOTS/ --game GAME --file {file}` creates one"
    UPDATE = "`noughts tournament run --file {file}` updates it"
    BUSY = (
        "another process is playing {path}; wait for it or stop it (Ctrl-C loses nothing). status, standings, games "
        "and marks work meanwhile"
    )

    @classmethod
    def stages(cls) -> Sequence[str]:
        kinds: list[type[Format]] = [*FORMATS.values(), UntilSure]
        return [*(stage for kind in kinds for stage in kind.stages), GATE, FRIENDLY, STAGE]

    def names(self) -> list[str]:
        """Returns the names of the tournaments, oldest first."""
        return [name for (name,) in self.rows("SELECT name FROM tournament WHERE plan IS NULL ORDER BY id")]

    def tournament(self, name: str | None = None) -> TournamentStore:
        """Returns the tournament with this name, or the latest."""
        names = self.names()
        if not names and self.rows("SELECT 1 FROM tournament LIMIT 1"):
            raise StoreError(f"{self.path} contains the games of a match or an evaluation, not a tournament")
        if not names:
            raise StoreError(f"there is no tournament in {self.path} yet")
        if name is not None and name not in names:
            raise StoreError(f"there is no tournament {name!r} in {self.path}; choose from {', '.join(names)}")
        return TournamentStore(self, name or names[-1])

    def tournament_or_match(self, name: str | None = None) -> TournamentStore:
        """Returns the tournament with this name, or the latest; the match, if the file has the games of one."""
        match = self.rows("SELECT name FROM tournament WHERE json_type(plan, '$.players') = 'array'")
        return TournamentStore(self, match[0][0]) if match and name is None else self.tournament(name)

    def create(self, name: str, game: Game, settings: Settings, seed: int | None = None) -> TournamentStore:
        """Creates a tournament. seed: the secret from which all its seeds are derived (default: random)."""
        if self.rows("SELECT 1 FROM tournament WHERE plan IS NOT NULL LIMIT 1"):
            raise StoreError(f"{self.path} contains the games of a match or an evaluation; name another file")
        secret = _hexadecimal(draw_seed() if seed is None else checked_seed(seed))
        facts = game.to_data().get("rules")
        rules = None if facts is None else json.dumps(facts)
        with self.change():
            self.do(
                "INSERT INTO tournament (name, created, game, rules, settings, secret) VALUES (?, ?, ?, ?, ?, ?)",
                *(name, self.now(), game.name, rules, settings.to_json(), secret),
            )
            tournament = TournamentStore(self, name)
        tournament.entries.enter_gate_opponents()
        return tournament


@dataclass(frozen=True)
class GameInFlight:
    """A game in flight: its fixture, and the ids of both entries and versions."""

    fixture: Fixture
    entries: tuple[int, int]
    versions: tuple[int, int]


class TournamentStore(Store):
    """One tournament of a file. Games are read on demand, since there may be a million."""

    def __init__(self, file: TournamentFile, name: str) -> None:
        self.file: TournamentFile = file
        self.name: str = name
        ((number, game, rules, settings, secret, created, is_match),) = file.rows(
            "SELECT id, game, rules, settings, secret, created, plan IS NOT NULL FROM tournament WHERE name = ?", name
        )
        super().__init__(file, number)
        self.id: Any = number
        self.created: Any = created
        self.is_match: bool = bool(is_match)
        self._settings: tuple[str, Settings] = (settings, Settings.from_json(settings))
        self.kind: type[Format] = self._settings[1].kind
        try:
            self.game: Game = Game.from_data(
                {"game": game, "rules": None if rules is None else parse_json(rules, VALUE)}
            )
        except (ValueError, TypeError) as error:
            raise StoreError(f"{file.path} has a game that this version cannot play ({error})") from None
        if not re.fullmatch("[0-9a-f]{1,32}( [0-9a-f]{1,32})*", secret):
            raise StoreError(f"the secret of the tournament in {file.path} is damaged; use another copy of the file")
        self._secrets = [int(word, 16) for word in secret.split()]
        self.entries: Entries = Entries(self)
        self.latest: Result | None = None
        """Result of the last added game."""
        self.in_flight: dict[int, GameInFlight] = {}
        """The games in flight by number."""
        self._aliases: dict[str, str] = {}
        self._next = 1 + file.rows("SELECT coalesce(max(id), 0) FROM fixture")[0][0]

    @property
    def settings(self) -> Settings:
        """Reads the settings from the file each time, because another process may change a ladder's deadline."""
        ((text,),) = self.file.rows("SELECT settings FROM tournament WHERE id = ?", self.id)
        return self.settings_from(text)

    def settings_from(self, text: str) -> Settings:
        """Returns the settings in a text of the file, which rarely differs from the last one."""
        if text != self._settings[0]:
            self._settings = (text, Settings.from_json(text))
        return self._settings[1]

    @property
    def aliases(self) -> dict[str, str]:
        """Returns the teams' pseudonyms by name; none if names are visible."""
        if not self.settings.pseudonyms:
            return {}
        if not self._aliases:
            self._aliases = {entry.name: entry.alias for entry in self.entries.all() if entry.alias}
        return self._aliases

    # Seeds, and when they are published.

    @property
    def seed(self) -> int:
        """Returns the seed of random draws."""
        return derive_seed(self._secrets[0], "draw", bits=GAME_SEED_BITS)

    @property
    def identity(self) -> str:
        """Returns an id of the tournament that does not depend on the file's place and reveals nothing about seeds."""
        return _hexadecimal(derive_seed(self._secrets[0], "identity", self.name, self.created, bits=SEED_BITS))

    def has_seed(self, seed: int) -> bool:
        """Returns whether the tournament was created with this seed."""
        return seed == self._secrets[0]

    @property
    def frozen(self) -> str | None:
        """Returns when the tournament was frozen (UTC); None if it is not frozen."""
        ((frozen,),) = self.file.rows("SELECT frozen FROM tournament WHERE id = ?", self.id)
        return None if frozen is None else str(frozen)

    @property
    def is_frozen(self) -> bool:
        """Returns whether the tournament can no longer change, so that its seeds are published."""
        return self.frozen is not None

    @property
    def published_seeds(self) -> list[str] | None:
        """Returns the seed that reproduces the tournament, then those from `unfreeze`; None unless frozen."""
        return [f"0x{_hexadecimal(secret)}" for secret in self._secrets] if self.is_frozen else None

    def freeze(self) -> None:
        """Ends all changes to this tournament."""
        with self.file.change():
            self.file.do("UPDATE tournament SET frozen = ? WHERE id = ? AND frozen IS NULL", self.file.now(), self.id)

    def unfreeze(self) -> None:
        """Allows changes again. Further games get seeds from a new secret, since the old seeds are public."""
        if not self.is_frozen:
            return
        with self.file.change():
            self.file.do("UPDATE tournament SET frozen = NULL WHERE id = ?", self.id)
            self.draw_secret()

    def draw_secret(self) -> None:
        """Gives further games seeds from a new secret."""
        with self.file.change():
            ((kept,),) = self.file.rows("SELECT secret FROM tournament WHERE id = ?", self.id)
            self._secrets = [*(int(word, 16) for word in kept.split()), draw_seed()]
            secret = " ".join(map(_hexadecimal, self._secrets))
            self.file.do("UPDATE tournament SET secret = ? WHERE id = ?", secret, self.id)

    def require_unfrozen(self) -> None:
        """Raises StoreError if the tournament is frozen."""
        if self.is_frozen:
            raise StoreError(
                f"{self.name!r} in {self.file.path} is frozen and cannot change; run `noughts tournament unfreeze "
                f"{shell_quote(self.file.path)} --name {shell_quote(self.name)}` first"
            )

    @contextmanager
    def change(self) -> Iterator[None]:
        """Opens a transaction that changes this tournament. Raises StoreError if it is frozen."""
        with self.file.change():
            self.require_unfrozen()
            yield

    def change_settings(self, **changes: Any) -> None:
        settings = replace(self.settings, **changes)
        with self.change():
            self.file.do("UPDATE tournament SET settings = ? WHERE id = ?", settings.to_json(), self.id)

    # Draws.

    def draws(self) -> Draws:
        rows = self.file.rows("SELECT stage, groups FROM draw WHERE tournament = ?", self.id)
        return {stage: self._groups(groups) for stage, groups in rows}

    def _groups(self, text: str) -> Any:
        try:
            groups: Any = parse_json(text, VALUE)
        except ValueError:
            groups = None
        if _lists_of_names(groups):
            return groups
        raise StoreError(f"a draw in {self.file.path} is damaged; use another copy of the file")

    def keep_draws(self, draws: Draws) -> None:
        """Stores draws; replaces earlier ones with the same name."""
        if draws == self.draws():
            return
        with self.change():
            for stage, groups in draws.items():
                self.file.do("INSERT OR REPLACE INTO draw VALUES (?, ?, ?)", self.id, stage, json.dumps(groups))

    def redraw(self, stage: str) -> list[str]:
        """Deletes the draws of a stage and of later ones, so that the next run draws again. Returns the stages.

        stage: a stage of a course, or the number of a Swiss round.
        """
        known = self.draws()
        order = [each for each in self.kind.stages if each in known] or sorted(known, key=natural_order)
        if stage not in order:
            raise StoreError(f"there is no draw of {stage!r}; drawn are {', '.join(order) or 'no stages'}")
        after = order[order.index(stage) :]
        with self.change():
            for each in after:
                self.file.do("DELETE FROM draw WHERE tournament = ? AND stage = ?", self.id, each)
        return after

    # Games.

    def start_game(self, fixture: Fixture, first: Entry, second: Entry) -> Pairing:
        """Starts a game between the versions that play, or at the gate between those that wait there.

        No seed is used twice: it depends on the secret, the game's place, both versions, and the number of times that
        staff had the game played again. It does not depend on interrupted games.
        """
        place = fixture[2:]
        versions = _version_in(fixture, first), _version_in(fixture, second)
        rows = self.file.rows(
            "SELECT id FROM fixture WHERE tournament = ? AND first = ? AND second = ? AND stage = ? AND pool = ? "
            "AND round = ?",
            *(self.id, first.id, second.id, *place),
        )
        number = rows[0][0] if rows else self._next
        self._next = max(self._next, number + 1)
        self.in_flight[number] = GameInFlight(fixture, (first.id, second.id), versions)
        ((one, other, again),) = self.file.rows(
            "SELECT one.hash, other.hash, (SELECT count(*) FROM game WHERE fixture = ?3 AND first_version = ?1 "
            "AND second_version = ?2 AND void IS NOT NULL) FROM version AS one, version AS other "
            "WHERE one.id = ?1 AND other.id = ?2",
            *(*versions, number),
        )
        use = ("game", first.name, second.name, *place, one, other, again)
        seed = derive_seed(self._secrets[-1], *use, bits=GAME_SEED_BITS)
        return Pairing(number, fixture.round, versions, (), seed)

    def versions_in_flight(self) -> set[int]:
        """Returns the versions that play in the games in flight."""
        return {version for game in self.in_flight.values() for version in game.versions}

    def add(self, record: GameRecord) -> None:
        """Adds a finished game, atomically. It is on the disk when this returns."""
        playing = self.in_flight[record.number]
        if record.unsafe and self.kind.endless:
            raise StoreError("a bot played without a sandbox, which a ladder does not accept; see `noughts doctor`")
        with self.change():
            self._bound_prints(record, playing.entries)
            replay = to_json(replace(record, seed=None))  # the seed has its own column, for when it is published
            seed = 0 if record.seed is None else record.seed
            place = playing.fixture[2:]
            rated = self.kind.endless and playing.fixture.stage in self.kind.stages
            repeated = rated and self._is_repeated(record, playing.versions)
            self._insert(record, record.number, playing.entries, playing.versions, place, seed, replay)
            if repeated:
                self.file.do("UPDATE game SET repeated = 1 WHERE id = (SELECT max(id) FROM game)")
        del self.in_flight[record.number]
        self.latest = Result(playing.fixture, record.points, record.faulty)

    def _is_repeated(self, record: GameRecord, versions: tuple[int, int]) -> bool:
        """Returns whether the same versions have played the same moves from the same seats before."""
        query = (
            "SELECT 1 FROM game WHERE first_version = ? AND second_version = ? AND void IS NULL AND plies = ? "
            "AND json_extract(replay, '$.moves') = ? LIMIT 1"
        )
        moves = json.dumps(record.moves, separators=(",", ":"))
        return bool(self.file.rows(query, *versions, len(record.moves), moves))

    def note(self, number: int, exchange: Exchange) -> None:
        """Does nothing: replies are stored with their game, since the next run may give its number to other players."""

    def _bound_prints(self, record: GameRecord, entries: tuple[int, int]) -> None:
        """Cuts both teams' prints to their remaining room, and stores the bytes used."""
        query = "SELECT prints FROM entry WHERE id = ?"
        taken = record.bound_prints([TEAM_PRINTS - self.file.rows(query, entry)[0][0] for entry in entries])
        for entry, size in zip(entries, taken, strict=True):
            if size:
                self.file.do("UPDATE entry SET prints = prints + ? WHERE id = ?", size, entry)

    def __contains__(self, number: int) -> bool:
        return bool(self.file.rows(f"SELECT 1 FROM {_COUNTED} AND fixture.id = ? LIMIT 1", self.id, number))

    def records(self) -> list[GameRecord]:
        """Returns the games that count, by number."""
        rows = self.file.rows(f"SELECT replay FROM {_COUNTED} ORDER BY fixture.id", self.id)
        return [from_json(replay) for (replay,) in rows]

    def results(self, entries: Iterable[Entry] | None = None) -> list[Result]:
        """Returns the results of games between current versions, by number, without gate games. entries: of the
        tournament, if they are already read.
        """
        playing = {entry.id: entry for entry in entries or self.entries.all() if entry.plays}
        names = {number: entry.name for number, entry in playing.items()}
        versions = {number: entry.version_id for number, entry in playing.items()}
        rows = self.file.rows(  # with the plus, SQLite reads in the order of the numbers, which is twice as fast
            "SELECT first, second, stage, pool, round, first_points, second_points, faulty, first_version, "
            "second_version FROM fixture CROSS JOIN game ON game.fixture = fixture.id "
            "WHERE +tournament = ? AND void IS NULL AND stage NOT IN ('gate', 'friendly') ORDER BY fixture.id",
            self.id,
        )
        with gc_paused():
            return [
                Result(Fixture(names[first], names[second], stage, pool, round_), (ours, theirs), faulty)
                for first, second, stage, pool, round_, ours, theirs, faulty, one, other in rows
                if versions.get(first) == one and versions.get(second) == other
            ]

    def count(self) -> int:
        """Returns the number of games: all games of a ladder, else those between current versions."""
        if not self.kind.endless:
            return len(self.results())
        query = "SELECT count(*) FROM game JOIN fixture ON fixture.id = game.fixture WHERE tournament = ? AND stage = ?"
        return int(self.file.rows(query, self.id, *self.kind.stages)[0][0])

    def gate_games(self, version: int, *, records: bool = False) -> list[GateGame]:
        """Returns the gate games of a version, in the order of the gate. records: with what happened in them."""
        games = []
        for first, second, faulty, fault, replay in self.file.rows(
            "SELECT one.name, other.name, faulty, json_extract(replay, '$.result.fault'), "
            f"{'replay' if records else 'NULL'} "
            f"FROM {_JOINED} WHERE game.id IN "  # by the indexes: a ladder has many games
            "(SELECT id FROM game WHERE first_version = ?2 UNION SELECT id FROM game WHERE second_version = ?2) "
            "AND +fixture.tournament = ?1 AND stage = 'gate' AND void IS NULL",
            *(self.id, version),
        ):
            opponent, seats = (
                (ITSELF, (0, 1))
                if first == second
                else (GATE_OPPONENTS[second], (0,))
                if second in GATE_OPPONENTS
                else (GATE_OPPONENTS[first], (1,))
            )
            record = None if replay is None else from_json(replay)
            games.append(GateGame(opponent, seats, fault_from_json(fault) if faulty in seats else None, record))
        return sorted(games, key=lambda game: GAMES.index((game.opponent, game.seats)))

    def checks(self) -> tuple[int, int]:
        """Returns the number of finished gate games of waiting bots, and their total."""
        ((waiting, played),) = self.file.rows(
            "SELECT count(DISTINCT candidate), count(game.id) FROM entry LEFT JOIN game ON candidate IN "
            "(first_version, second_version) AND void IS NULL AND fixture IN "
            "(SELECT id FROM fixture WHERE tournament = ?1 AND stage = 'gate') "
            "WHERE entry.tournament = ?1 AND candidate IS NOT NULL AND NOT removed",
            self.id,
        )
        return played, 0 if self.settings.admit == ALL else len(GAMES) * waiting

    def void(self, numbers: Iterable[int], reason: str) -> int:
        """Voids games, so that they are played again. Returns their number."""
        with self.change():
            return sum(
                self.file.do(
                    "UPDATE game SET void = ? WHERE fixture = ? AND void IS NULL AND fixture IN "
                    "(SELECT id FROM fixture WHERE tournament = ?)",
                    *(reason, number, self.id),
                )
                for number in numbers
            )

    def game_rows(
        self,
        *,
        name: str | None = None,
        number: int | None = None,
        everything: bool = False,
        replays: bool = True,
        latest: int | None = None,
        before: int | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yields every game with all its stored facts, by number; optionally those of one contestant or one number.

        everything: include games that do not count (former versions, gate games, void games). latest: only this many
        latest games, latest first; before: games finished before this one. `Visibility` decides who may see them. The
        seed is None until the tournament is frozen; replays have none.
        """
        columns = (
            "id number stage pool round first second first_version second_version counts void finished machine speed "
            "seed winner reason first_points second_points faulty fault plies first_seconds second_seconds replay"
        ).split()
        where = "" if everything else f"AND {_COUNTS}"
        seed = "seed" if self.is_frozen else "NULL"
        values: list[object] = [self.id]
        if name is not None:
            its = "(SELECT version.id FROM version JOIN bot ON bot.id = version.bot WHERE bot.name = ?)"
            where += f" AND (first_version IN {its} OR second_version IN {its})"
            values += [name, name]
        if number is not None:
            where += " AND fixture.id = ?"
            values.append(number)
        if before is not None:
            where += " AND game.id < (SELECT max(id) FROM game WHERE fixture = ?)"
            values.append(before)
        order = "fixture.id, game.id" if latest is None else f"game.id DESC LIMIT {latest:d}"
        rows = self.file.each(
            "SELECT game.id, fixture.id, stage, pool, round, one.name, other.name, v1.number, v2.number, "
            f"{_COUNTS}, void, finished, machine.name, speed, {seed}, winner, game.reason, first_points, "
            f"second_points, faulty, fault, plies, first_seconds, second_seconds, {'replay' if replays else 'NULL'} "
            f"FROM {_JOINED} JOIN version AS v1 ON v1.id = first_version "
            "JOIN version AS v2 ON v2.id = second_version LEFT JOIN machine ON machine.id = game.machine "
            f"WHERE fixture.tournament = ? {where} ORDER BY {order}",
            *values,
        )
        return (dict(zip(columns, row, strict=True)) for row in rows)

    def machines(self, latest: int | None = None) -> list[dict[str, Any]]:
        """Returns the machines that played, with their numbers of games and their average, lowest and highest speed.

        latest: only for this many newest games of the file.
        """
        columns = "name processor cores games speed slowest fastest".split()
        rows = self.file.rows(
            "SELECT machine.name, processor, cores, count(*), round(avg(speed), 2), min(speed), max(speed) FROM game "
            "CROSS JOIN fixture ON fixture.id = game.fixture CROSS JOIN machine ON machine.id = game.machine "
            "WHERE game.id > coalesce((SELECT max(id) FROM game) - ?2, 0) AND tournament = ?1 "
            "GROUP BY machine.id ORDER BY machine.id",
            *(self.id, latest),
        )
        return [dict(zip(columns, row, strict=True)) for row in rows]


def _version_in(fixture: Fixture, entry: Entry) -> int:
    """Returns the version of a contestant that plays a game."""
    version = (fixture.stage == GATE and entry.candidate_id) or entry.version_id
    assert version is not None
    return version


def record_of(row: Mapping[str, Any]) -> GameRecord:
    """Returns the game in a row of `TournamentStore.game_rows`. Raises StoreError if its replay is damaged."""
    try:
        record = from_json(row["replay"])
        if record.players != (row["first"], row["second"]):
            raise ValueError("its replay has other players")
    except ValueError as error:
        raise StoreError(f"game {row['number']} is damaged ({error}); use a copy of the file") from None
    record.seed = row["seed"]
    return record


def file_name(row: Mapping[str, Any], record: GameRecord) -> str:
    """Returns the name of a file that holds the game of a row of `game_rows`, without its ending.

    A game that no longer counts has the number of its replacement.
    """
    void = "" if row["void"] is None else f"-void-{row['id']}"
    return slug(f"game-{record.number:06}-{record.players[0]}-{record.players[1]}") + void


_JOINED = (
    "game JOIN fixture ON fixture.id = game.fixture "
    "JOIN entry AS e1 ON e1.id = first JOIN entry AS e2 ON e2.id = second "
    "JOIN bot AS one ON one.id = e1.bot JOIN bot AS other ON other.id = e2.bot"
)
_COUNTS = (
    "(void IS NULL AND stage NOT IN ('gate', 'friendly') AND first_version = e1.version "
    "AND second_version = e2.version AND NOT e1.removed AND NOT e2.removed)"
)
_COUNTED = f"{_JOINED} WHERE fixture.tournament = ? AND {_COUNTS}"


def _hexadecimal(secret: int) -> str:
    return f"{secret:032x}"


def _lists_of_names(value: object) -> bool:
    lists = isinstance(value, list) and all(isinstance(each, list) for each in value)
    return lists and all(isinstance(name, str) for each in value for name in each)  # type: ignore[attr-defined]
