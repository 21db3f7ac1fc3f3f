"""Changes to a database that SQLite itself would refuse, as somebody makes them who writes the file by other means."""

import sqlite3
from contextlib import closing


def spoil(path, *statements):
    """Runs statements without types, CHECK and foreign keys; afterwards the tables demand what they demanded before."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        strict = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%) STRICT'")]
    _rewrite(path, "UPDATE sqlite_master SET sql = substr(sql, 1, length(sql) - 7) WHERE sql LIKE '%) STRICT'")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            database.execute(statement)
    _rewrite(path, "UPDATE sqlite_master SET sql = sql || ' STRICT' WHERE type = 'table' AND name = ?", *strict)


def rewrite_schema(path, old, new):
    """Replaces words in the schema, with nothing else changed."""
    _rewrite(path, "UPDATE sqlite_master SET sql = replace(sql, ?1, ?2) WHERE instr(sql, ?1)", (old, new))


def _rewrite(path, statement, *values):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        if not values:
            database.execute(statement)
        for value in values:
            changed = database.execute(statement, value if isinstance(value, tuple) else (value,)).rowcount
            assert changed or not isinstance(value, tuple), f"no {value[0]!r} in the schema"
        database.execute(f"PRAGMA schema_version = {database.execute('PRAGMA schema_version').fetchone()[0] + 1}")
