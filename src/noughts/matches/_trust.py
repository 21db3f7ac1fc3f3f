"""Checks that a file of games from anywhere is safe to read: it has exactly the tables that this program creates, with
values of their types.

SQLite allows any type of value in any column, and views and triggers in a file are programs that run when it is read.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

MOST_SCHEMA = 1000
"""Maximum number of tables, views and so on; our files have far fewer."""
_COUNTS_OF_SQLITE = {
    ("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
}
"""Tables that ANALYZE leaves in any database."""
_KINDS = {"INTEGER": "integer", "TEXT": "text", "REAL": "real"}
_ALLOWED = {
    ("game", "winner"): "IN (0, 1)",
    ("game", "faulty"): "IN (0, 1)",
    (
        "fixture",
        "stage",
    ): "IN ('league', 'gauntlet', 'group', 'semi-final', 'final', 'swiss', 'until-sure', 'ladder', 'gate', 'friendly', "
    "'match')",
    ("entry", "candidate"): "IN (SELECT id FROM version WHERE version.bot = entry.bot AND kind = 'file')",
    ("entry", "version"): "IN (SELECT id FROM version WHERE version.bot = entry.bot)",
}
"""Allowed values of some columns."""

_seen: dict[Path, tuple[int, ...]] = {}
"""Files whose values this process has checked, with their state at that time."""

Schema = frozenset[tuple[str, str, str | None]]


def unknown_parts(database: sqlite3.Connection, migrations: Sequence[str]) -> str | None:
    """Returns the kind and name of the first part of the schema that is missing, or that these migrations do not
    create; None if there is none. Runs nothing from the file.
    """
    ours, theirs = _expected_schema(tuple(migrations))[0], _schema_of(database) - _COUNTS_OF_SQLITE
    differ = sorted((kind, name) for kind, name, _ in ours ^ theirs)
    return " ".join(differ[0]) if differ else None


def odd_value(database: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> str | None:
    """Returns a column with an invalid value, as `table.column`, or a table with dangling references; else None.
    Unchanged files that this process has checked are not checked again.
    """
    found = path.stat()
    state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    key = Path(os.path.abspath(path))
    if _seen.get(key) == state:
        return None
    for table, tests in _expected_schema(tuple(migrations))[1].items():
        if not database.execute(f"SELECT 1 FROM {table} WHERE {' OR '.join(tests.values())} LIMIT 1").fetchone():
            continue
        for column, test in tests.items():
            if database.execute(f"SELECT 1 FROM {table} WHERE {test} LIMIT 1").fetchone():
                return f"{table}.{column}"
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        return f"{table}, which names a missing {parent}"
    _seen[key] = state
    return None


def _schema_of(database: sqlite3.Connection) -> Schema:
    return frozenset(database.execute(f"SELECT type, name, sql FROM sqlite_master LIMIT {MOST_SCHEMA}").fetchall())


@lru_cache(maxsize=4)
def _expected_schema(migrations: tuple[str, ...]) -> tuple[Schema, dict[str, dict[str, str]]]:
    """Returns the schema of the migrations, and for each column of each table the condition of an invalid value."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for migration in migrations:
            database.executescript(migration)
        schema = _schema_of(database)
        tests: dict[str, dict[str, str]] = {}
        for table in sorted(name for kind, name, _ in schema if kind == "table"):
            for _, column, kind, needed, _, key in database.execute(f"PRAGMA table_info({table})").fetchall():
                if key and kind == "INTEGER" and not needed:  # SQLite's own row ids
                    continue
                test = f"typeof({column}) <> '{_KINDS[kind]}'"
                if (table, column) in _ALLOWED:
                    test = f"({test} OR {column} NOT {_ALLOWED[table, column]})"
                if not needed:
                    test = f"({test} AND {column} IS NOT NULL)"
                tests.setdefault(table, {})[column] = test
        return schema, tests
    finally:
        database.close()
