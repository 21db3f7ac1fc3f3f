"""Opens SQLite files without trusting the file or its companions.

    class.noughts            the database
    class.noughts-wal, -shm  SQLite's write-ahead log and its index, while the file is open
    class.noughts-journal    a rollback journal: never ours, since we write only in WAL mode

SQLite plays back a rollback journal when the database is opened, and deletes whatever file the journal names.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import suppress
from pathlib import Path, PurePath

from noughts.untrusted import FileKind

BUSY_SECONDS = 30.0
"""Seconds that one connection waits for another; the longest transaction takes milliseconds."""
VALUE = FileKind("a value of a database", 64 << 20, nodes=1 << 18)
"""Maximum size of a value or a row: replays are smaller (`matches.replays.MAX_BYTES`), reviews and bots far smaller."""


class CompanionError(ValueError):
    """A file beside a database that this program would not have written."""


def open_database(path: Path, *, write: bool, other_threads: bool = False) -> sqlite3.Connection:
    """Opens a database in WAL mode, without trusting its contents.

    write: creates the file if there is none. Otherwise the file is opened read-only, and as immutable if its folder is
    not writable. other_threads: other threads may use the connection too.

    Raises CompanionError for a companion that is not ours, sqlite3.Error for a file that is not a database.
    """
    real = Path(os.path.realpath(path))
    check_companions(real)
    mode = "mode=rwc" if write else "mode=ro" if os.access(real.parent, os.W_OK) else "immutable=1"
    database = sqlite3.connect(
        f"{database_uri(real)}?{mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=not other_threads,
    )
    try:
        database.execute("PRAGMA trusted_schema = OFF")  # functions in the file may have no effects outside it
        database.execute("PRAGMA cell_size_check = ON")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE.size)
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()  # fails unless the file is a database
    except BaseException:
        database.close()
        raise
    return database


def database_uri(path: PurePath) -> str:
    """Returns the URI of a file for SQLite, for which a server (`\\\\server\\share`) is part of the path."""
    return re.sub(r"^file://(?=[^/])", "file:////", path.as_uri())


def use_wal(database: sqlite3.Connection) -> None:
    """Switches a database that was opened for writing to WAL mode, without a rollback journal on disk."""
    if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        database.execute("PRAGMA journal_mode = MEMORY")
        database.execute("PRAGMA journal_mode = WAL")


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
