"""Opens SQLite files without trusting the file or its companions.

    class.noughts            the database
    class.noughts-wal, -shm  SQLite's write-ahead log and its index, while the file is open
    class.noughts-journal    a rollback journal: never ours, since we write only in WAL mode

SQLite plays back a rollback journal when the database is opened, and deletes whatever file the journal names. Triggers
and views are programs in a file, and pages that name each other make a search endless: statements run no trigger and no
view, and stop after more steps than the size of the file explains. `schema` checks what is in the file.

A file may have several names (hard links), each with its own log: two processes that write it under two names destroy
each other's changes. So the process that writes it alone also locks a byte of the file itself.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import struct
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PurePath
from threading import Lock
from typing import Any

from noughts.untrusted import FileKind

OLDEST_SQLITE = (3, 37)
"""The first version with STRICT tables."""
BUSY_SECONDS = 30.0
"""Seconds that one connection waits for another; the longest transaction takes milliseconds."""
VALUE = FileKind("a value of a database", 64 << 20, nodes=1 << 18)
"""Maximum size of a value or a row: replays are smaller (`matches.replays.MAX_BYTES`), reviews and bots far smaller."""
STATEMENT_BYTES = 1 << 17
"""Maximum size of a statement, also in the schema of a file; ours have up to 3 KB."""
STEPS = 100_000
"""Steps of SQLite's machine between two calls of the progress handler: about a millisecond."""
FREE_STEPS, STEPS_PER_BYTE = 10_000_000, 32
"""Maximum steps of a statement: the first number, and the second for each byte of the file. Checking a whole file takes
one step for ten bytes."""
SHARED_BYTES = ((1 << 30) + 2, 510)
"""Offset and number of the bytes that SQLite locks while a connection reads; to merge a log it needs them alone."""
OWN_BYTE = (sum(SHARED_BYTES), 1)
"""The byte that is locked: the first after those that SQLite locks, on a page that it never uses."""
FORMER = ".former"
"""Ending of a log whose database is not at its path any more; SQLite does not look for it."""

FileId = tuple[int, int]
"""Device and inode of a file."""

_guard = Lock()
_open: Counter[FileId] = Counter()
"""Connections of this process by their file."""
_parked: dict[FileId, list[int]] = {}
"""Descriptors that wait until the last of these connections is closed: closing any descriptor of a file drops all locks
that SQLite holds on it for this process."""


class CompanionError(ValueError):
    """A file beside a database that this program would not have written."""


class HeldError(ValueError):
    """Another process writes the file, under this name or another one."""


class MovedError(sqlite3.OperationalError):
    """An open database is no longer the file at its path: it was deleted, replaced or overwritten."""


class Database(sqlite3.Connection):
    """A connection to a file from anywhere. It knows whether its file is still the one at its path.

    Its statements stop at Ctrl-C and after too many steps, and run no trigger and no view.
    """

    _path: Path
    _log: Path
    _steps: int = 0
    _held: int | None = None
    _id: FileId | None = None
    _noted: tuple[Any, ...] | None = None

    def distrust(self) -> None:
        """Sets the limits of all statements."""
        self.set_progress_handler(self._progress, STEPS)
        # The last argument names the trigger or view that asks for access.
        self.set_authorizer(lambda *action: sqlite3.SQLITE_DENY if action[-1] else sqlite3.SQLITE_OK)
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE.size)
        self.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, STATEMENT_BYTES)
        self.execute("PRAGMA trusted_schema = OFF")  # functions in the file may have no effects outside it
        self.execute("PRAGMA cell_size_check = ON")

    def execute(self, statement: str, values: Any = (), /) -> sqlite3.Cursor:
        self._steps = 0
        try:
            return super().execute(statement, values)
        except UnicodeDecodeError:  # of SQLite's message, which names a part of the schema
            raise sqlite3.DatabaseError("a name in its schema is damaged") from None

    def _progress(self) -> bool:
        """Returns whether the current statement must stop. SQLite also stops it if Ctrl-C is raised here."""
        self._steps += STEPS
        return self._is_over_budget

    @property
    def _is_over_budget(self) -> bool:
        if self._steps <= FREE_STEPS:
            return False
        files = [file for file in (self._path, self._log) if os.path.exists(file)]
        return self._steps > FREE_STEPS + STEPS_PER_BYTE * sum(map(os.path.getsize, files))

    def explain(self, error: sqlite3.Error) -> BaseException:
        """Returns what an error of this connection means: Ctrl-C, a statement that took too many steps, or itself."""
        if getattr(error, "sqlite_errorname", "") != "SQLITE_INTERRUPT":
            return error
        if not self._is_over_budget:
            return KeyboardInterrupt()
        return sqlite3.DatabaseError("reading it takes more steps than a file of its size can need")

    def note_files(self) -> None:
        """Notes the files as they are once they are open. Raises MovedError if the path has another file by now."""
        self._noted = self._state()
        if self._noted is None or self._noted[0] != self._id:
            raise MovedError("the file was replaced while it was opened")

    @property
    def in_place(self) -> bool:
        """Returns whether the file and its log are still those that were opened, and nobody else wrote the file."""
        return self._noted is None or self._state() == self._noted

    def require_in_place(self) -> None:
        """Raises MovedError if the file is not in place; before each change."""
        if not self.in_place:
            self._keep_log_apart()
            raise MovedError("the file was deleted, replaced or overwritten")

    def note_change(self) -> None:
        """Notes a change by this connection. Raises MovedError if its file or log is no longer at its path."""
        state = self._state()
        if self._noted is not None and (state is None or state[:2] != self._noted[:2]):
            raise MovedError("the file was deleted or replaced")
        self._noted = state

    @property
    def is_elsewhere(self) -> bool:
        """Returns whether the path has no file or another one. Then SQLite merges no log when it closes the file."""
        state = self._state()
        return self._noted is not None and (state is None or state[0] != self._id)

    def _state(self) -> tuple[Any, ...] | None:
        """Returns the files at the path: the database, its log, and if only this connection writes the database
        itself, what shows that another program did. None if there is none.
        """
        log = None
        try:
            status = os.stat(self._path)
            log = _id_of(os.stat(self._log))
        except FileNotFoundError as error:  # only files that nobody may write are open without a log
            if error.filename != str(self._log):
                return None
        except OSError:
            return None
        written = (status.st_size, status.st_mtime_ns) if self._held is not None else None
        return _id_of(status), log, written

    def _keep_log_apart(self) -> None:
        """Keeps the log from being merged into another file that is at the path by now, or into what another program
        wrote over this one.
        """
        state = self._state()
        if state is None or self._noted is None or self._held is None:
            return
        if state[0] != self._id or state[2] != self._noted[2]:
            self._rename_log()
        if state[0] == self._id and state[2] != self._noted[2]:
            with suppress(OSError):
                _lock_bytes(self._held, import_module("fcntl").F_RDLCK, SHARED_BYTES)

    def _rename_log(self) -> None:
        with suppress(OSError):
            if self._noted is not None and _id_of(os.stat(self._log)) == self._noted[1]:
                os.replace(self._log, f"{self._log}{FORMER}")

    def close(self) -> None:
        self._keep_log_apart()
        super().close()
        if self._held is not None and not self._path.exists():
            self._rename_log()
        if self._id is not None:
            _forget(self._id, self._held)
            self._id = self._held = self._noted = None


def open_database(path: Path, *, write: bool, other_threads: bool = False, alone: bool = False) -> Database:
    """Opens a database in WAL mode, without trusting its contents.

    write: creates the file if there is none. Otherwise the file is opened read-only, and as immutable if its folder is
    not writable. other_threads: other threads may use the connection too. alone: no other process may write the file
    meanwhile, under any name.

    Raises CompanionError for a companion that is not ours, HeldError if another process writes the file alone,
    sqlite3.Error for a file that is not a database.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise CompanionError(
            f"this Python has SQLite {sqlite3.sqlite_version}; noughts needs "
            f"{'.'.join(map(str, OLDEST_SQLITE))} or later. Install a newer Python"
        )
    real = Path(os.path.realpath(path))
    check_companions(real)
    mode = "mode=rwc" if write else "mode=ro" if os.access(real.parent, os.W_OK) else "immutable=1"
    held = _hold(real) if alone else None
    try:
        file = _id_of(os.stat(real) if held is None else os.fstat(held))
    except OSError:  # SQLite creates it, or says that it cannot
        file = (0, 0)
    with _guard:
        _open[file] += 1
    try:
        database = sqlite3.connect(
            f"{database_uri(real)}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=not other_threads,
            factory=Database,
        )
    except BaseException:
        _forget(file, held)
        raise
    database._path, database._log, database._held, database._id = path, Path(f"{real}-wal"), held, file
    try:
        database.distrust()
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()  # fails unless the file is a database
    except sqlite3.Error as error:
        database.close()
        raise database.explain(error) from None
    except BaseException:
        database.close()
        raise
    return database


def _hold(path: Path) -> int | None:
    """Locks a byte of a file for this process; returns its descriptor. None if that cannot be done here: on Windows, or
    if the file cannot be opened for writing.
    """
    try:
        fcntl = import_module("fcntl")
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (ImportError, OSError):
        return None
    try:
        _lock_bytes(descriptor, fcntl.F_WRLCK, OWN_BYTE)
    except OSError as error:
        _release(_id_of(os.fstat(descriptor)), descriptor)
        if error.errno in (errno.EACCES, errno.EAGAIN):
            raise HeldError(f"another process writes {path} under another name") from None
        raise ValueError(f"cannot lock {path} ({error.strerror}); name a file on a local disk") from None
    return descriptor


def _lock_bytes(descriptor: int, kind: int, part: tuple[int, int]) -> None:
    fcntl = import_module("fcntl")
    # Belongs to the descriptor where the system can do that, so it holds between two connections of a process, too.
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is not None:
        fcntl.fcntl(descriptor, command, struct.pack("hhqqi", kind, os.SEEK_SET, *part, 0))
    elif part == OWN_BYTE:
        how = fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB
        fcntl.lockf(descriptor, how, *reversed(part))


def _forget(file: FileId, held: int | None) -> None:
    """Counts a connection less."""
    with _guard:
        _open[file] -= 1
    _release(file, held)


def _release(file: FileId, held: int | None) -> None:
    """Unlocks a descriptor, and closes it once no connection of this process has the file open."""
    with _guard:
        if held is not None:
            with suppress(OSError):
                for part in (OWN_BYTE, SHARED_BYTES):
                    _lock_bytes(held, import_module("fcntl").F_UNLCK, part)
            _parked.setdefault(file, []).append(held)
        if _open[file] <= 0:
            del _open[file]
            for descriptor in _parked.pop(file, ()):
                os.close(descriptor)


def _id_of(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino


def database_uri(path: PurePath) -> str:
    """Returns the URI of a file for SQLite, for which a server (`\\\\server\\share`) is part of the path."""
    return re.sub(r"^file://(?=[^/])", "file:////", path.as_uri())


def use_wal(database: sqlite3.Connection) -> None:
    """Switches a database that was opened for writing to WAL mode, without a rollback journal on disk."""
    if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        database.execute("PRAGMA journal_mode = MEMORY")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()  # creates the log


def check_companions(path: Path) -> None:
    """Raises CompanionError if a database has a rollback journal, or a link in the place of a companion."""
    journal = Path(f"{path}-journal")
    if os.path.lexists(journal):
        raise CompanionError(
            f"{journal} is not from noughts, and SQLite would replay it into {path.name}; move the journal elsewhere"
        )
    for companion in (Path(f"{path}-wal"), Path(f"{path}-shm")):
        if os.path.lexists(companion) and (companion.is_symlink() or not companion.is_file()):
            raise CompanionError(f"{companion} is a link or not an ordinary file; move it elsewhere")


def remove_companions(path: Path) -> None:
    """Lets SQLite remove companions of a database that its readers left behind, because readers cannot remove them.

    Does nothing while a process has the database open, or without write permission.
    """
    real = Path(os.path.realpath(path))
    log = Path(f"{real}-wal")
    if not log.is_file() or log.stat().st_size or not os.access(real, os.W_OK):
        return
    with suppress(sqlite3.Error, CompanionError, OSError):
        open_database(real, write=True).close()
