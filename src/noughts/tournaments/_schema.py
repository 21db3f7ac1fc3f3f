"""The tables of a tournament file, opening one, and the sentences for files that cannot be opened.

A tournament file is one SQLite database. `PRAGMA user_version` is the version of its tables: older files are brought up
to date when they are opened for writing, newer ones are refused.

    tournament   one row for each tournament of the season: game, settings, the secrets that its seeds come from, and
                 when it was frozen (UTC; null while it may change)
    bot          a team or a built-in player, by name, the same in all tournaments
    version      each text that a bot's file ever had, or the name of a built-in player
    entry        a bot's part in a tournament: the version that plays, and the one that waits at the gate
    gate         what came out when a version was checked for a tournament
    draw         pools of stages, pairs of rounds: what was drawn
    fixture      a game by its place: who moves first, who second, stage, pool, round
    game         a game that was played: a fixture, two versions, the result, and the whole replay as JSON
    machine      where games were played
    review       what the engine said of a game, so that nothing is computed twice (see `reviews`)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from noughts.database import CompanionError, open_database, remove_companions, use_wal
from noughts.errors import NoughtsError
from noughts.files import FileLock
from noughts.printable import one_line, shell_quote
from noughts.tournaments._trust import odd_value, unknown_parts

APPLICATION_ID = 0x6E6F7567
"""`noug`: how SQLite files say whose they are."""
NAME_SHOWN = 100

_VERSION_1 = """
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,              -- UTC
    game TEXT NOT NULL,
    rules TEXT,                         -- JSON: the record of facts, if the game is not built in
    settings TEXT NOT NULL,             -- JSON
    secret TEXT NOT NULL                -- hexadecimal, and after a space one more for each unfreeze
);
CREATE TABLE bot (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    bot INTEGER NOT NULL REFERENCES bot,
    number INTEGER NOT NULL,            -- of the bot's versions, from 1
    kind TEXT NOT NULL CHECK (kind IN ('file', 'player')),
    path TEXT NOT NULL,                 -- of the file
    wanted TEXT,                        -- the bot's name in the file, if it was said
    source TEXT NOT NULL,               -- the file's text, or the name of a player
    hash TEXT NOT NULL,                 -- SHA-256 of wanted and source
    added TEXT NOT NULL,
    UNIQUE (bot, number),
    UNIQUE (bot, hash)
);
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournament,
    bot INTEGER NOT NULL REFERENCES bot,
    staff INTEGER NOT NULL DEFAULT 0,   -- 1: gets no marks
    hidden INTEGER NOT NULL DEFAULT 0,  -- 1: the opponent at the gate, in no table
    version INTEGER REFERENCES version, -- that plays, null if none was let in
    candidate INTEGER REFERENCES version, -- that waits at the gate
    removed INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',    -- why its latest file does not play
    UNIQUE (tournament, bot)
);
CREATE TABLE gate (
    tournament INTEGER NOT NULL REFERENCES tournament,
    version INTEGER NOT NULL REFERENCES version,
    reason TEXT NOT NULL,               -- '' if it passed
    PRIMARY KEY (tournament, version)
);
CREATE TABLE draw (
    tournament INTEGER NOT NULL REFERENCES tournament,
    stage TEXT NOT NULL,                -- or the number of a round
    groups TEXT NOT NULL,               -- JSON: lists of names
    PRIMARY KEY (tournament, stage)
);
CREATE TABLE fixture (
    id INTEGER PRIMARY KEY,             -- the number of its game
    tournament INTEGER NOT NULL REFERENCES tournament,
    first INTEGER NOT NULL REFERENCES entry,
    second INTEGER NOT NULL REFERENCES entry,
    stage TEXT NOT NULL,
    pool INTEGER NOT NULL,
    round INTEGER NOT NULL,
    UNIQUE (tournament, first, second, stage, pool, round)
);
CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    processor TEXT NOT NULL,
    cores INTEGER NOT NULL,
    UNIQUE (name, processor, cores)
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    fixture INTEGER NOT NULL REFERENCES fixture,
    first_version INTEGER NOT NULL REFERENCES version,
    second_version INTEGER NOT NULL REFERENCES version,
    finished TEXT NOT NULL,             -- UTC
    seed INTEGER NOT NULL,
    winner INTEGER,                     -- seat: 0, 1, or null
    reason TEXT NOT NULL,
    first_points INTEGER NOT NULL,
    second_points INTEGER NOT NULL,
    faulty INTEGER,                     -- seat that lost by a fault
    fault TEXT,                         -- what it did
    plies INTEGER NOT NULL,
    first_seconds REAL NOT NULL,        -- thinking time of all moves
    second_seconds REAL NOT NULL,
    machine INTEGER REFERENCES machine,
    speed REAL NOT NULL,                -- of the machine, when the game was played, 0 if unknown
    void TEXT,                          -- why it does not count, though it was played, null if it does
    replay TEXT NOT NULL                -- JSON, as in docs/arena.md: moves, times, prints, faults, exchanges
);
CREATE UNIQUE INDEX counted_once ON game (fixture, first_version, second_version) WHERE void IS NULL;
"""

_VERSION_2 = """
CREATE TABLE review (
    game INTEGER PRIMARY KEY REFERENCES game,
    nodes INTEGER NOT NULL,             -- budget for each position, 0 if the game is solved
    program TEXT NOT NULL,              -- version of noughts that made it
    made TEXT NOT NULL,                 -- UTC
    data TEXT NOT NULL                  -- JSON, as `analysis.mistakes.to_data` makes it
);
"""

_VERSION_3 = """
ALTER TABLE tournament ADD COLUMN frozen TEXT;
ALTER TABLE entry ADD COLUMN prints INTEGER NOT NULL DEFAULT 0; -- bytes kept of what its bots printed
CREATE INDEX played_again ON game (fixture, first_version, second_version) WHERE void IS NOT NULL;
UPDATE game SET replay = json_remove(replay, '$.seed') WHERE json_valid(replay);
"""

MIGRATIONS = (_VERSION_1, _VERSION_2, _VERSION_3)
"""What makes version n of version n - 1."""


def now() -> str:
    """For notes: nothing is computed from it, so a clock that jumps does no harm."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class TournamentError(NoughtsError, ValueError):
    """A tournament file that cannot be used, or not now; the message says what to do."""


class BusyError(TournamentError):
    """A tournament file that another process writes."""


class Database:
    """An open tournament file. Use it in a `with`, or close it.

    write: this process alone may change the file until it is closed; a file that is not there is made.
    """

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        self.path: Path = Path(path)
        if write and not self.path.parent.is_dir():
            raise TournamentError(f"there is no folder {str(self.path.parent)!r} for the file {self.path.name!r}")
        busy = BusyError(
            f"another process is playing {path}; wait for it or stop it (Ctrl-C loses nothing). "
            "Meanwhile status, standings, games and marks can be asked for"
        )
        self._lock = FileLock(self.path, busy) if write else None
        try:
            self._connection = _connect(self.path, write=write)
        except BaseException:
            if self._lock:
                self._lock.release()
            raise

    def close(self) -> None:
        self._connection.close()
        if self._lock:
            self._lock.release()
            self._lock = None
        else:
            remove_companions(self.path)

    @property
    def writes(self) -> bool:
        """Returns whether this process alone may change the file."""
        return self._lock is not None

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with _said(self.path):
            return self._connection.execute(query, values).fetchall()

    def each(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows one by one, for those that need not all be in memory."""
        with _said(self.path):
            for row in self._connection.execute(query, values):  # noqa: UP028 - which would close a closed cursor
                yield row

    def do(self, statement: str, *values: object) -> int:
        """Change something, within `change`; how many rows that were."""
        return self._connection.execute(statement, values).rowcount

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction: all of it, or nothing. It is on the disk at the end."""
        with _said(self.path), transaction(self._connection):
            yield


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """The database of a file, with its tables up to date; TournamentError if it is no such file, or of a newer version.

    write: a file that is not there is made.
    """
    if path.is_dir():
        raise TournamentError(f"{path} is a folder; name a file for the tournament")
    if not write and not path.is_file():
        raise TournamentError(
            f"there is no tournament file {str(path)!r}; "
            f"`noughts tournament run BOTS/ --game GAME --file {shell_quote(path)}` makes one"
        )
    try:
        with _said(path):
            database = open_database(path, write=write)
    except CompanionError as error:
        raise TournamentError(str(error)) from None
    try:
        with _said(path):
            _prepare(database, path, write=write)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, path: Path, *, write: bool) -> None:
    version = database.execute("PRAGMA user_version").fetchone()[0]
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if (owner != APPLICATION_ID or version < 0) and not (empty and write and version == 0):
        raise TournamentError(f"{path} is no tournament file, though it is a database; name another file")
    if version > len(MIGRATIONS):
        raise TournamentError(
            f"{path} was written by a newer noughts (its tables have version {version}, and this program knows "
            f"{len(MIGRATIONS)}); update noughts"
        )
    _check(database, path, version)
    database.execute("PRAGMA foreign_keys = ON")
    if not write:
        if version < len(MIGRATIONS):
            raise TournamentError(
                f"{path} is of an older noughts; `noughts tournament run --file {shell_quote(path)}` updates it"
            )
        return
    use_wal(database)
    database.execute("PRAGMA synchronous = FULL")  # a game that was told as played survives a power cut
    for number, migration in enumerate(MIGRATIONS[version:], version + 1):
        with transaction(database):
            for statement in filter(str.strip, migration.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {number}")


def _check(database: sqlite3.Connection, path: Path, version: int) -> None:
    """TournamentError unless the tables and what is in them are what this program writes."""
    known = MIGRATIONS[:version]
    if part := unknown_parts(database, known):
        raise TournamentError(
            f"{path} does not have the tables of a tournament file (look at its {one_line(part, NAME_SHOWN)}); "
            "another program changed it, or it is damaged. Use a copy that was not changed"
        )
    if column := odd_value(database, path, known):
        raise TournamentError(
            f"{path} has a value of the wrong kind in {column}; another program changed it, or it is damaged. "
            "Use a copy that was not changed"
        )


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # some errors have rolled it back already
            database.execute("ROLLBACK")
        raise


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Errors of the database as sentences."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith("SQLITE_NOTADB"):
            raise TournamentError(f"{path} is no tournament file; name another file") from None
        if code.startswith("SQLITE_FULL"):
            raise TournamentError(
                f"the disk of {path} is full; all games that were finished before are kept. "
                "Make room, and give the same command again"
            ) from None
        if code.startswith(("SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_BUSY")):
            raise TournamentError(
                f"{path} cannot be read or written ({error}); look at the disk and its permissions, "
                "and give the same command again"
            ) from None
        if isinstance(error, sqlite3.ProgrammingError):  # a mistake of ours
            raise
        raise TournamentError(
            f"{path} cannot be used ({one_line(str(error), NAME_SHOWN)}); another program changed it, or it is "
            "damaged. Use a copy that was not changed"
        ) from None
