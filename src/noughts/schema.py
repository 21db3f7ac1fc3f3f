"""Checks that the database in a file is one that this program wrote.

The schema in a file is a program: triggers, views, generated columns, constraints, and the expressions of indexes run
when the file is used. So a file may have only the statements of our own schema (`unknown_part`), its pages must form a
database, and its rows must keep the rules of that schema (`damage`). Our tables are STRICT, so SQLite itself checks the
types of their values.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

OWN_INDEXES = 20
"""Maximum indexes that a user may add to a file; each slows down writing."""
_WRONG_TYPE = re.compile(r"(?:NULL|non-[A-Z]+) value in (.+)")
"""An answer of SQLite's check."""
MANY_ROWS = 10_000
"""Indexes of tables with more rows are not compared with them, which takes as long as all other checks."""
LONGEST_STATEMENT = 1 << 14
"""Maximum characters of a statement with its comments; ours have up to 3,000."""
STATISTICS = ("sqlite_stat1(tbl,idx,stat)", "sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")
"""Tables that ANALYZE leaves in any database."""

Part = tuple[str, str, str, tuple[str, ...]]
"""A part of a schema: its kind, its name, its table, and the tokens of its statement."""
Columns = dict[str, frozenset[str]]
"""Names of columns by table."""

_sound: dict[tuple[Path, str], tuple[int, ...]] = {}
"""Files that this process found sound under some conditions, with their state at that time."""


def damage(
    database: sqlite3.Connection, path: Path, allowed: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> str | None:
    """Returns what is wrong in a file whose schema is known: a page that two others name, a value of the wrong type, a
    row that names a missing row. None if the file is sound.

    allowed: conditions of columns by table. SQLite ignores CHECK in files that are only read. Unchanged files that this
    process found sound are not checked again.
    """
    status = path.stat()
    state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    key = Path(os.path.abspath(path)), repr(allowed)
    if _sound.get(key) == state:
        return None
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if fault := _answer(database, "quick_check(1)"):
        return fault
    for table in tables:
        if not database.execute(f"SELECT 1 FROM {table} LIMIT 1 OFFSET {MANY_ROWS}").fetchone() and (
            fault := _answer(database, f"integrity_check({table})")
        ):
            return fault
        faults = [
            (f"{column} IS NOT NULL AND {column} NOT {condition}", f"a value of the wrong type in {table}.{column}")
            for column, condition in allowed.get(table, {}).items()
        ] + [
            (
                f"{column} IS NOT NULL AND {column} NOT IN (SELECT rowid FROM {parent})",
                f"a row of {table}, which names a missing {parent}",
            )
            for _, _, parent, column, *_ in database.execute(f"PRAGMA foreign_key_list({table})")
        ]
        # All at once, since reading a table takes longer than comparing its values.
        if faults and _is_true(database, table, " OR ".join(fault for fault, _ in faults)):
            contradiction = f"an index of {table} that contradicts its table"
            return next((text for fault, text in faults if _is_true(database, table, fault)), contradiction)
    _sound[key] = state
    return None


def _answer(database: sqlite3.Connection, check: str) -> str | None:
    """Returns what a check of SQLite finds first; None if it finds nothing."""
    (answer,) = database.execute(f"PRAGMA {check}").fetchone()
    if match := _WRONG_TYPE.fullmatch(answer):
        return f"a value of the wrong type in {match[1]}"
    return None if answer == "ok" else f"a fault in its structure ({str(answer).splitlines()[-1]})"


def _is_true(database: sqlite3.Connection, table: str, condition: str) -> bool:
    """Returns whether a condition is true of any row."""
    return database.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone() is not None


def unknown_part(database: sqlite3.Connection, schema: Sequence[str]) -> str | None:
    """Returns the kind and name of the first part of the file that these statements do not create, or the first that is
    missing; None if there is none. Runs nothing from the file.

    Comments, white space, capital letters and quotes around our names make no difference, and users may add indexes on
    columns. Anything else is refused, because nearly any other word in a schema is a way to run a program or to make
    statements fail: triggers, views, generated columns, CHECK, ON CONFLICT, ON DELETE, COLLATE, virtual tables.
    """
    columns, parts = _expected(tuple(schema))
    missing, own_indexes = set(parts), 0
    for row in database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        part = _part(row, columns)
        if part in missing:
            missing.remove(part)
        elif part not in _STATISTICS:
            own_indexes += 1
            if part is None or own_indexes > OWN_INDEXES or not _is_plain_index(part, columns):
                return f"{row[0]} {row[1]}"
    return " ".join(min(missing)[:2]) if missing else None


_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n\f\r]+|--[^\n]*|/\*.*?\*/)
    |(?P<word>[\w$]+)
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |'(?:[^']|'')*'|.""",
    re.DOTALL | re.VERBOSE,
)
"""A token of a statement, as SQLite reads it. Nothing but blanks and comments of SQLite is a blank here."""


def _part(row: Sequence[object], columns: Columns) -> Part | None:
    """Returns a part of a schema; None if it has a form that SQLite never writes."""
    texts = [text for text in row if isinstance(text, str) and "\0" not in text]  # for SQLite, a text ends at a zero
    if len(texts) == len(row) - 1 and row[-1] is None:  # an index of a constraint
        texts.append("")
    if len(texts) < len(row) or len(texts[-1]) > LONGEST_STATEMENT:
        return None
    kind, name, table, statement = texts
    return kind, name, table, tuple(_tokens(statement, columns))


def _tokens(statement: str, columns: Columns) -> Iterator[str]:
    """Yields the tokens without comments, in small letters, with our own names unquoted.

    Only our names, none of which is a word of SQL: `"NOT" "NULL"` is part of a type's name and no constraint.
    """
    for match in _TOKEN.finditer(statement):
        text = match[0]
        lower = text.lower() if text.isascii() else text  # other letters are never the same for SQLite
        if match["word"]:
            yield lower
        elif match["quoted"] and (lower[1:-1] in columns or any(lower[1:-1] in names for names in columns.values())):
            yield lower[1:-1]
        elif not match["blank"]:
            yield text


def _is_plain_index(part: Part, columns: Columns) -> bool:
    """Returns whether a part is an index on columns, without conditions, expressions or collations."""
    match part:
        case ("index", _, table, ("create", "index", _, "on", owner, "(", *items, ")")) if owner == table.lower():
            fields = " ".join(items).split(" , ")
            return all(re.sub(" (asc|desc)$", "", item) in columns.get(owner, ()) for item in fields)
    return False


@lru_cache(maxsize=4)
def _expected(schema: tuple[str, ...]) -> tuple[Columns, frozenset[Part]]:
    """Returns the columns and the parts of the database that these statements create."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statements in schema:
            database.executescript(statements)
        rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        columns = {
            name: frozenset(row[1] for row in database.execute(f"PRAGMA table_info({name})"))
            for kind, name, *_ in rows
            if kind == "table"
        }
        parts = [_part(row, columns) for row in rows]
        return columns, frozenset(part for part in parts if part is not None)
    finally:
        database.close()


_STATISTICS = frozenset(
    ("table", table[:12], table[:12], ("create", "table", *_tokens(table, {}))) for table in STATISTICS
)
