"""The file of a store: its tables, opening it, and messages for files that cannot be opened.

It is one SQLite database. Tournaments, matches and evaluations have the same tables; a match or an evaluation is a
tournament with a plan. `PRAGMA user_version` is the version of the tables: older files are updated when they are opened
for writing, newer ones are refused.

    tournament   one row for each tournament of the season: game, settings, the secrets that its seeds come from, and
                 when it was frozen (UTC; null while it may change); or for a run: its plan
    bot          a team or a built-in player, by name, the same in all tournaments
    version      each text that a bot's file ever had, or the name of a built-in player
    entry        a bot's part in a tournament: the version that plays, and the one that waits at the gate
    gate         the result of checking a version for a tournament
    late         the versions that were submitted after the deadline
    draw         random draws: pools of stages, pairs of rounds
    fixture      a game by its place: first player, second player, stage, pool, round
    game         a game that was played: a fixture, two versions, the result, and the whole replay as JSON
    machine      where games were played
    review       the engine's review of a game, so that nothing is computed twice (see `tournaments.reviews`)
    exchange     a question to a model and its reply, stored as soon as it arrives
    playing      games in progress, for other processes to watch; nothing depends on it
    token        hashes of the secret links of a ladder
    rating       the rating of a version of a ladder after a number of games
    friendly     matches that teams of a ladder requested; those without games are due
"""

from __future__ import annotations

import logging
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, Self

from noughts.database import CompanionError, Database, HeldError, MovedError, open_database, remove_companions, use_wal
from noughts.errors import NoughtsError
from noughts.files import BusyError, FileLock, foreign_log, is_locked, open_our_file
from noughts.printable import one_line, shell_quote
from noughts.progress import Tick
from noughts.schema import damage, unknown_part

APPLICATION_ID = 0x6E6F7567
"""`noug`: the application id of these SQLite files."""
NAME_SHOWN = 100
_MAGIC = b"SQLite format 3\0"
log: logging.Logger = logging.getLogger(__name__)

ROWS_AT_ONCE = 100
BACKUP_PAGES = 1000
"""Pages that a backup copies between two progress reports."""

_VERSION_1 = """
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,              -- UTC
    game TEXT NOT NULL,
    rules TEXT,                         -- JSON: the record of facts, if the game is not built in
    settings TEXT NOT NULL,             -- JSON
    secret TEXT NOT NULL,               -- hexadecimal, and after a space one more for each unfreeze
    frozen TEXT,                        -- UTC
    plan TEXT                           -- JSON, of a run
) STRICT;
CREATE TABLE bot (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    bot INTEGER NOT NULL REFERENCES bot,
    number INTEGER NOT NULL,            -- of the bot's versions, from 1
    kind TEXT NOT NULL CHECK (kind IN ('file', 'player')),
    path TEXT NOT NULL,                 -- of the file
    wanted TEXT,                        -- the bot's name in the file, if it was said
    source TEXT NOT NULL,               -- the file's text, or the name of a player
    hash TEXT NOT NULL,                 -- SHA-256 of the file's name, wanted and source
    added TEXT NOT NULL,
    findings TEXT,                      -- JSON: what the gate found by reading it, as `GateReport.findings` makes it
    UNIQUE (bot, number),
    UNIQUE (bot, hash)
) STRICT;
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
    prints INTEGER NOT NULL DEFAULT 0,  -- bytes kept of what its bots printed
    alias TEXT,                         -- its name for those who may not see its own
    willing INTEGER NOT NULL DEFAULT 0, -- 1: plays the matches that other teams request
    UNIQUE (tournament, bot)
) STRICT;
CREATE TABLE gate (
    tournament INTEGER NOT NULL REFERENCES tournament,
    version INTEGER NOT NULL REFERENCES version,
    reason TEXT NOT NULL,               -- '' if it passed
    decided TEXT,                       -- UTC
    report TEXT,                        -- JSON: the whole check, as its team sees it
    PRIMARY KEY (tournament, version)
) STRICT;
CREATE TABLE late (
    tournament INTEGER NOT NULL REFERENCES tournament,
    version INTEGER NOT NULL REFERENCES version,
    minutes INTEGER NOT NULL,           -- 0 if unknown
    PRIMARY KEY (tournament, version)
) STRICT;
CREATE TABLE draw (
    tournament INTEGER NOT NULL REFERENCES tournament,
    stage TEXT NOT NULL,                -- or the number of a round
    groups TEXT NOT NULL,               -- JSON: lists of names
    PRIMARY KEY (tournament, stage)
) STRICT;
CREATE TABLE fixture (
    id INTEGER PRIMARY KEY,             -- the number of its game
    tournament INTEGER NOT NULL REFERENCES tournament,
    first INTEGER NOT NULL REFERENCES entry,
    second INTEGER NOT NULL REFERENCES entry,
    stage TEXT NOT NULL,
    pool INTEGER NOT NULL,
    round INTEGER NOT NULL,
    UNIQUE (tournament, first, second, stage, pool, round)
) STRICT;
CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    processor TEXT NOT NULL,
    cores INTEGER NOT NULL,
    UNIQUE (name, processor, cores)
) STRICT;
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
    first_used REAL NOT NULL,           -- seconds that the player kept a process busy: loading and thinking
    second_used REAL NOT NULL,
    machine INTEGER REFERENCES machine,
    speed REAL NOT NULL,                -- of the machine, when the game was played, 0 if unknown
    void TEXT,                          -- why it does not count, though it was played, null if it does
    replay TEXT NOT NULL,               -- JSON, as in docs/arena.md: moves, times, prints, faults, exchanges
    repeated INTEGER                    -- 1: an earlier game of the same versions and seats has the same moves
) STRICT;
CREATE UNIQUE INDEX counted_once ON game (fixture, first_version, second_version) WHERE void IS NULL;
CREATE INDEX played_again ON game (fixture, first_version, second_version) WHERE void IS NOT NULL;
CREATE INDEX game_of_second ON game (second_version);
CREATE INDEX game_of_pair ON game (first_version, second_version);
CREATE TABLE review (
    game INTEGER PRIMARY KEY REFERENCES game,
    nodes INTEGER NOT NULL,             -- budget for each position, 0 if the game is solved
    program TEXT NOT NULL,              -- version of noughts that made it
    made TEXT NOT NULL,                 -- UTC
    data TEXT NOT NULL                  -- JSON, as `analysis.mistakes.to_data` makes it
) STRICT;
CREATE TABLE exchange (
    id INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL REFERENCES tournament,
    game INTEGER NOT NULL,              -- its number, or that of a question of a suite
    place INTEGER,                      -- of the reply in the finished game, null before, or if it was not used
    data TEXT NOT NULL                  -- JSON, as `Exchange` has it
) STRICT;
CREATE TABLE playing (
    game INTEGER PRIMARY KEY NOT NULL,  -- its number
    tournament INTEGER NOT NULL REFERENCES tournament,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    moves TEXT NOT NULL,                -- JSON: actions
    noted REAL NOT NULL                 -- seconds since 1970
) STRICT;
CREATE TABLE token (
    hash TEXT PRIMARY KEY NOT NULL,     -- SHA-256 of the token, which is kept nowhere
    tournament INTEGER NOT NULL REFERENCES tournament,
    entry INTEGER REFERENCES entry,     -- the team that it is of, null for staff
    made TEXT NOT NULL                  -- UTC
) STRICT;
CREATE TABLE rating (
    tournament INTEGER NOT NULL REFERENCES tournament,
    version INTEGER NOT NULL REFERENCES version,
    games INTEGER NOT NULL,             -- that the version had played
    rated TEXT NOT NULL,                -- UTC
    elo REAL NOT NULL,
    low REAL NOT NULL,                  -- 95% interval
    high REAL NOT NULL,
    PRIMARY KEY (tournament, version, games)
) STRICT;
CREATE TABLE friendly (
    id INTEGER PRIMARY KEY,             -- the round of its two games
    tournament INTEGER NOT NULL REFERENCES tournament,
    asker INTEGER NOT NULL REFERENCES entry,
    opponent INTEGER NOT NULL REFERENCES entry,
    asked TEXT NOT NULL                 -- UTC
) STRICT;
"""

MIGRATIONS = (_VERSION_1,)
"""Statements that update the tables from version n - 1 to version n. `tests/stores` has a file of each version, which
every later program opens: a change of the tables is a further migration, with a further file."""
_ALLOWED = {
    "version": {"kind": "IN ('file', 'player')"},
    "entry": {
        "candidate": "IN (SELECT id FROM version WHERE version.bot = entry.bot AND kind = 'file')",
        "version": "IN (SELECT id FROM version WHERE version.bot = entry.bot)",
    },
    "game": {"winner": "IN (0, 1)", "faulty": "IN (0, 1)"},
}
"""Allowed values of some columns by table."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def timestamp(at: datetime) -> str:
    """Returns a time as stored in files: text in UTC, which sorts by time."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def now() -> str:
    """Returns the current time, for records only: a clock that jumps does no harm."""
    return timestamp(utc_now())


def is_store(path: Path) -> bool:
    """Returns whether a file is a database, as the files of stores are."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


class StoreError(NoughtsError, ValueError):
    """A file of games that cannot be used, at least for now; the message says what to do."""


class StoreFile:
    """An open file of games. Use it in a `with`, or close it. Thread-safe.

    write: only this process may change the file until it is closed. create: a missing file is created, if it is opened
    for writing. durable: changes survive a power cut, not only the end of this process. alone: False allows small
    changes beside the process that writes the file. clock: returns the time (UTC).
    """

    KIND = "file of games"
    MAKE = ""
    """The command that creates such a file, with {file} for its name."""
    UPDATE = "open it for writing once to update it"
    BUSY = "another process is writing {path}; wait for it, or name another file"
    MOVED = (
        "{path} was deleted, replaced or changed by another program while it was open, so nothing more is written. "
        "Stop this process, put the file or a backup in its place, and start again"
    )

    def __init__(
        self,
        path: str | Path,
        *,
        write: bool = False,
        create: bool = True,
        durable: bool = True,
        alone: bool = True,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.path: Path = Path(path)
        self.clock = clock
        create = create and write
        if create and not self.path.parent.is_dir():
            raise StoreError(f"there is no folder {str(self.path.parent)!r} for the file {self.path.name!r}")
        if not create and not self.path.is_file() and not self.path.is_dir():
            make = f"; {self.MAKE.format(file=shell_quote(path))}" if self.MAKE else ""
            raise StoreError(f"there is no {self.KIND} {str(path)!r}{make}")
        self._lock = self._locked(alone=alone) if write else None
        # One thread at a time, since SQLite calls Python back: one would have SQLite and wait for the interpreter, the
        # other the reverse.
        self._using = RLock()
        try:
            if create:
                with suppress(OSError):  # it exists, or SQLite says why it cannot
                    os.close(open_our_file(Path(os.path.realpath(path)), os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self._connect(write=write, create=create, durable=durable)
            self.note_trouble("")
        except BaseException:
            if self._lock:
                self._lock.release()
            raise

    @classmethod
    def stages(cls) -> Sequence[str]:
        """Returns the stages that games may have; none if they are never read."""
        return ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection.is_elsewhere and self.writes:
            self._rescue()
        with self._using:
            self._connection.close()
        if self._lock:
            self._lock.release()
            self._lock = None
        else:
            remove_companions(self.path)

    @property
    def trouble(self) -> str:
        """Returns why nothing can be written any more: the file is no longer the one at its path; or ''."""
        return "" if self._connection.in_place else self.MOVED.format(path=self.path)

    def note_trouble(self, trouble: str) -> None:
        """Tells other processes why this one cannot go on for now; '' if it can. They read `files.lock_note`."""
        if self._lock:
            self._lock.note(trouble)

    def now(self) -> str:
        """Returns the current time by the file's clock, for records only."""
        return timestamp(self.clock())

    @property
    def writes(self) -> bool:
        """Returns whether this process alone may change the file."""
        return self._lock is not None

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._using, self._sentences():
            return self._connection.execute(query, values).fetchall()

    def each(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yields the rows one by one, without holding all of them in memory."""
        with self._using, self._sentences():
            cursor = self._connection.execute(query, values)
        try:
            while rows := self._some_of(cursor):
                yield from rows
        finally:
            with self._using, suppress(sqlite3.ProgrammingError):  # the file is closed
                cursor.close()

    def _some_of(self, cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
        with self._using, self._sentences():
            return cursor.fetchmany(ROWS_AT_ONCE)

    def do(self, statement: str, *values: object) -> int:
        """Runs a statement, within `change`; returns the number of changed rows."""
        return self._connection.execute(statement, values).rowcount

    def insert(self, statement: str, *values: object) -> int:
        """Inserts a row, within `change`; returns its id."""
        row = self._connection.execute(statement, values).lastrowid
        assert row is not None
        return row

    def bot(self, name: str) -> int:
        """Returns the id of a team or a player, within `change`; stores a new name."""
        self.do("INSERT OR IGNORE INTO bot (name) VALUES (?)", name)
        return int(self.rows("SELECT id FROM bot WHERE name = ?", name)[0][0])

    @contextmanager
    def change(self) -> Iterator[None]:
        """Runs a transaction: all changes inside it are written at its end, or none."""
        with self._using, self._sentences():
            if self._connection.in_transaction:
                yield
            else:
                self._connection.require_in_place()
                with _transaction(self._connection):
                    yield
                self._connection.note_change()

    def backup(self, to: Path, progress: Tick = lambda _: None) -> None:
        """Writes a copy of the file as it is now, atomically, while others keep writing.

        It is readable only by its owner, and replaces an older file of games. progress: called with the share done.
        """
        if to.exists() and ((self.path.exists() and to.samefile(self.path)) or not is_store(to)):
            raise StoreError(f"{to} already exists and is not an earlier backup; name another file")
        if is_locked(to) or Path(f"{to}-wal").exists():
            raise StoreError(f"{to} is in use; name another file")
        draft = to.with_name(f".noughts-{secrets.token_hex(8)}.part")

        def tell(_: int, left: int, pages: int) -> None:
            progress(1 - left / pages)

        try:
            os.close(open_our_file(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            with self._sentences(), closing(sqlite3.connect(draft, isolation_level=None)) as target:
                if self._connection.in_place:
                    with closing(open_database(self.path, write=False)) as source:
                        # In one transaction: otherwise every finished game would restart the backup.
                        source.execute("BEGIN")
                        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
                        source.backup(target, pages=BACKUP_PAGES, progress=tell)
                else:  # the file that is open, rather than the one that is at its path by now
                    self._connection.backup(target, pages=BACKUP_PAGES, progress=tell)
            with open(draft, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(draft, to)
        finally:
            for part in ("", "-wal", "-shm", "-journal"):
                Path(f"{draft}{part}").unlink(missing_ok=True)

    def _locked(self, *, alone: bool) -> FileLock | None:
        """Returns the lock of the file; None beside the process that has it. Raises BusyError if `alone` forbids
        that.
        """
        try:
            return FileLock(self.path, BusyError(self.BUSY.format(path=self.path)))
        except BusyError:
            if alone:
                raise
            return None

    def _connect(self, *, write: bool, create: bool, durable: bool) -> None:
        """Opens the database and updates its tables. Raises StoreError if the file is of another kind or newer."""
        path = self.path
        if path.is_dir():
            raise StoreError(f"{path} is a folder; name a file")
        if why := foreign_log(path):
            raise StoreError(f"{path} {why}")
        try:
            with self._sentences():
                self._connection = open_database(path, write=write, other_threads=True, alone=self._lock is not None)
        except CompanionError as error:
            raise StoreError(str(error)) from None
        except HeldError as error:
            raise BusyError(f"{error}; name the file as that process does") from None
        database = self._connection
        try:
            with self._sentences():
                self._prepare(database, write=write, create=create)
                if write:
                    database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                if write and self._lock is None:  # only the process with the lock writes the database itself
                    database.execute("PRAGMA wal_autocheckpoint = 0")
                database.note_files()
        except BaseException:
            database.close()
            raise

    def _prepare(self, database: Database, *, write: bool, create: bool) -> None:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        owner = database.execute("PRAGMA application_id").fetchone()[0]
        empty = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if (owner != APPLICATION_ID or version < 0) and not (empty and create and version == 0):
            raise StoreError(f"{self.path} is a database but not a {self.KIND}; name another file")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path} was written by a newer noughts (its tables have version {version}, this program "
                f"knows {len(MIGRATIONS)}); update noughts"
            )
        self._check(database, version)
        database.execute("PRAGMA foreign_keys = ON")
        if not write:
            if version < len(MIGRATIONS):
                raise StoreError(
                    f"{self.path} is from an older noughts; {self.UPDATE.format(file=shell_quote(self.path))}"
                )
            return
        use_wal(database)
        for number, migration in enumerate(MIGRATIONS[version:], version + 1):
            with _transaction(database):
                for statement in filter(str.strip, migration.split(";")):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                database.execute(f"PRAGMA user_version = {number}")

    def _check(self, database: sqlite3.Connection, version: int) -> None:
        """Raises StoreError unless the tables and their values are what this program writes."""
        if part := unknown_part(database, MIGRATIONS[:version]):
            raise StoreError(
                f"{self.path} does not have the tables of a {self.KIND} (see its {one_line(part, NAME_SHOWN)}); "
                "another program changed it, or it is damaged. Use an unchanged copy"
            )
        stages = [repr(stage) for stage in self.stages()]
        allowed = _ALLOWED | ({"fixture": {"stage": f"IN ({', '.join(stages)})"}} if stages else {})
        if version and (problem := damage(database, self.path, allowed)):
            raise StoreError(
                f"{self.path} has {one_line(problem, NAME_SHOWN)}; another program changed it, or it is damaged. "
                "Use an unchanged copy"
            )

    def _rescue(self) -> None:
        """Writes a copy of the file, whose latest changes would end with this connection, beside its former place."""
        copy = self.path.with_name(f"{self.path.stem}-rescued-{self.clock():%Y%m%dT%H%M%SZ}{self.path.suffix}")
        with suppress(StoreError, OSError):
            self.backup(copy)
            log.error("%s was deleted, moved or replaced while it was open; its contents are in %s", self.path, copy)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turns errors of the database into clear messages."""
        try:
            yield
        except MovedError:
            raise StoreError(self.MOVED.format(path=self.path)) from None
        except sqlite3.Error as raised:
            error = self._connection.explain(raised) if hasattr(self, "_connection") else raised
            code = getattr(error, "sqlite_errorname", "")
            if not isinstance(error, sqlite3.Error):
                raise error from None
            if code.startswith("SQLITE_NOTADB"):
                raise StoreError(f"{self.path} is not a {self.KIND}; name another file") from None
            if code.startswith("SQLITE_FULL"):
                raise StoreError(
                    f"the disk of {self.path} is full; all games finished before are safe. "
                    "Free some space and run the same command again"
                ) from None
            if code.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_BUSY")):
                raise StoreError(
                    f"cannot read or write {self.path} ({error}); check the disk and its permissions, "
                    "and run the same command again"
                ) from None
            if isinstance(error, sqlite3.ProgrammingError):  # a bug in noughts
                raise
            raise StoreError(
                f"cannot use {self.path} ({one_line(str(error), NAME_SHOWN)}); another program changed it, or it "
                "is damaged. Use an unchanged copy"
            ) from None


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Runs a transaction: all of it, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # some errors have already rolled it back
            database.execute("ROLLBACK")
        raise
