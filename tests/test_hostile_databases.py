"""A file of games from elsewhere runs nothing and never hangs; what does no harm to it does not matter."""

import re
import shutil
import signal
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from spoiling import rewrite_schema
from tournament_play import play_some, played_games, tournament_in

from noughts import database as limits
from noughts.cli import main
from noughts.matches.store_file import StoreError
from noughts.schema import OWN_INDEXES
from noughts.tournaments.store import TournamentFile
from noughts.web._tables import GamesFile

PAGE = 4096
LONG = "SELECT count(*) FROM game a, game b, game c, game d, game e, game f, game g, game h, game i, game j"
"""A query of a minute over six games."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "class.noughts"
    tournament = tournament_in(path)
    play_some(tournament)
    tournament.file.close()
    return path


@pytest.fixture
def path(sound, tmp_path):
    return Path(shutil.copy(sound, tmp_path))


def games(path):
    with TournamentFile(path) as file:
        return played_games(file.tournament())


def refusal(path):
    """What a reader and a writer say, which is the same."""
    with pytest.raises(StoreError) as reading:
        TournamentFile(path)
    with pytest.raises(StoreError) as writing:
        TournamentFile(path, write=True)
    assert str(reading.value) == str(writing.value)
    return str(reading.value)


# Schemas.

STATEMENTS = {
    "trigger": "CREATE TRIGGER more AFTER INSERT ON bot BEGIN DELETE FROM game; END",
    "trigger on a change": "CREATE TRIGGER more BEFORE UPDATE OF version ON entry BEGIN SELECT RAISE(IGNORE); END",
    "view": "CREATE VIEW more AS SELECT * FROM bot, bot",
    "generated column": "ALTER TABLE bot ADD COLUMN more TEXT AS (name || name)",
    "column": "ALTER TABLE bot ADD COLUMN more TEXT",
    "table": "CREATE TABLE more (id INTEGER PRIMARY KEY)",
    "full text": "CREATE VIRTUAL TABLE more USING fts5(text)",
    "unique index": "CREATE UNIQUE INDEX more ON game (id, seed)",
    "partial index": "CREATE INDEX more ON game (seed) WHERE winner = 0",
    "index on an expression": "CREATE INDEX more ON game (seed + 1)",
    "costly index": "CREATE INDEX more ON game (length(replace(hex(zeroblob(1000)), '0', replay)))",
    "collation": "CREATE INDEX more ON bot (name COLLATE NOCASE)",
    "collation after a column": "CREATE INDEX more ON bot (id, name COLLATE RTRIM DESC)",
    "autoincrement": "CREATE TABLE more (id INTEGER PRIMARY KEY AUTOINCREMENT)",
    "dropped": "DROP TABLE review",
    "dropped index": "DROP INDEX game_of_pair",
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_what_runs_or_costs_in_a_schema_is_refused(path, statement):
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
    assert "does not have the tables of a tournament file" in refusal(path)


REWRITTEN = {
    "conflict": ("name TEXT NOT NULL UNIQUE\n", "name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE\n"),
    "conflict of a value": ("reason TEXT NOT NULL,", "reason TEXT NOT NULL ON CONFLICT IGNORE,"),
    "cascade": ("bot INTEGER NOT NULL REFERENCES bot,", "bot INTEGER NOT NULL REFERENCES bot ON DELETE CASCADE,"),
    "deferred": ("REFERENCES entry,", "REFERENCES entry DEFERRABLE INITIALLY DEFERRED,"),
    "other parent": ("first INTEGER NOT NULL REFERENCES entry", "first INTEGER NOT NULL REFERENCES bot"),
    "costly check": ("seed INTEGER NOT NULL,", "seed INTEGER NOT NULL CHECK (length(hex(zeroblob(9999999))) > 0),"),
    "no check": ("CHECK (kind IN ('file', 'player'))", ""),
    "other check": ("('file', 'player')", "('FILE', 'player')"),
    "names as texts": ("('file', 'player')", '("file", "player")'),
    "not null": ("name TEXT NOT NULL,\n", "name TEXT,\n"),
    "words that are no constraint": ("groups TEXT NOT NULL", 'groups TEXT "NOT" "NULL"'),
    "a key that is none": ("bot (\n    id INTEGER PRIMARY KEY,", 'bot (\n    id INTEGER "PRIMARY" "KEY",'),
    "collation": ("name TEXT NOT NULL UNIQUE\n", "name TEXT COLLATE NOCASE NOT NULL UNIQUE\n"),
    "default": ("removed INTEGER NOT NULL DEFAULT 0", "removed INTEGER NOT NULL DEFAULT 1"),
    "costly default": ("DEFAULT ''", "DEFAULT (hex(zeroblob(9999999)))"),
    "generated": ("plies INTEGER NOT NULL,", "plies INTEGER NOT NULL AS (length(replay)) STORED,"),
    "not strict": ("UNIQUE (name, processor, cores)\n) STRICT", "UNIQUE (name, processor, cores)\n)"),
    "no row ids": ("(tournament, version)\n) STRICT", "(tournament, version)\n) STRICT, WITHOUT ROWID"),
    "descending": ("(second_version)", "(second_version DESC)"),
    "no condition": ("WHERE void IS NOT NULL", ""),
    "a condition after a zero": ("WHERE void IS NOT NULL", "--\0\n WHERE void IS NOT NULL"),
    "a letter that only looks the same": ("asker INTEGER", "as\u212aer INTEGER"),
    "a space that is none": ("asker INTEGER", "asker\u00a0 INTEGER"),
    "a long comment": ("TABLE token", "TABLE /*" + "[" * 20_000 + "*/ token"),
    "a comment without an end": (") STRICT", ") STRICT /*"),
}


@pytest.mark.parametrize(("old", "new"), REWRITTEN.values(), ids=REWRITTEN)
def test_no_word_of_our_own_statements_may_differ(path, old, new):
    rewrite_schema(path, old, new)
    assert re.search("does not have the tables of a tournament file|malformed database schema", refusal(path))


def test_as_many_indexes_as_nobody_needs_are_refused(path):
    with closing(sqlite3.connect(path)) as database:
        for number in range(OWN_INDEXES):
            database.execute(f"CREATE INDEX own{number} ON game (seed, plies)")
        assert games(path)
        database.execute("CREATE INDEX more ON game (seed, plies)")
    assert "see its index more" in refusal(path)


def test_a_row_of_the_schema_that_is_no_text_is_refused(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET tbl_name = CAST(tbl_name AS BLOB) WHERE name = 'machine'")
        database.commit()
    assert "see its table machine" in refusal(path)


HARMLESS = {
    "index": "CREATE INDEX own ON game (machine, speed DESC)",
    "quoted index": 'CREATE INDEX "my games (by seed)" ON "game" ("seed" ASC, [plies], `speed`)',
    "index with a comment": "CREATE INDEX IF NOT EXISTS own /* mine */ ON game -- all games\n (seed)",
    "statistics": "ANALYZE",
    "vacuum": "VACUUM",
    "rebuilt indexes": "REINDEX",
    "no log": "PRAGMA journal_mode = DELETE",
}


@pytest.mark.parametrize("statement", HARMLESS.values(), ids=HARMLESS)
def test_what_does_no_harm_to_a_file_does_not_matter(path, sound, statement):
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement)
    assert games(path) == games(sound)
    with TournamentFile(path, write=True) as file, file.change():
        assert file.bot("another")


def test_a_table_that_was_renamed_and_back_is_the_same(path, sound):
    with closing(sqlite3.connect(path)) as database:
        for table in ("bot", "version", "game", "entry"):
            database.execute(f"ALTER TABLE {table} RENAME TO other")
            database.execute(f"ALTER TABLE other RENAME TO {table}")
        assert 'REFERENCES "bot"' in str(database.execute("SELECT sql FROM sqlite_master").fetchall())
    assert games(path) == games(sound)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-- seat: 0, 1, or null", "-- 0: first"),
        ("-- seat: 0, 1, or null", "/* the seat -- of the winner */"),
        ("    winner INTEGER", "\t\r\nwinner\f\nINTEGER"),
        ("winner INTEGER", '"Winner" integer'),
        ("PRIMARY KEY", "primary key"),
    ],
)
def test_comments_spaces_and_capitals_in_a_schema_do_not_matter(path, sound, old, new):
    rewrite_schema(path, old, new)
    assert games(path) == games(sound)


def test_a_trigger_that_appears_while_a_file_is_open_does_not_run(path):
    with TournamentFile(path, write=True) as file, closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TRIGGER more AFTER INSERT ON bot BEGIN DELETE FROM game; END")
        with pytest.raises(StoreError, match="not authorized"), file.change():
            file.bot("another")
        assert database.execute("SELECT count(*) FROM game").fetchone()[0] == 6


# Pages.


def interior(child, children, start=0):
    """A page of a table's tree that names the same page so many times."""
    body, cells = b"", b""
    for number in range(children):
        cell = struct.pack(">L", child) + bytes([0x81 + number // 128 % 100, number % 128])
        body = cell + body
        cells += struct.pack(">H", PAGE - len(body))
    head = struct.pack(">BHHHBL", 5, 0, children, PAGE - len(body), 0, child)
    page = bytes(start) + head + cells
    return page.ljust(PAGE - len(body), b"\0") + body


def grow_tree(path, root, leaf, levels, children=400):
    """Makes a table a tree that names one leaf `children ** levels` times."""
    data = bytearray(path.read_bytes())
    count = len(data) // PAGE
    for level in range(levels):
        last = level == levels - 1
        page = interior(leaf if last else count + level + 1, children)
        place = (root - 1) * PAGE if level == 0 else len(data)
        data[place : place + PAGE] = page
    struct.pack_into(">L", data, 28, len(data) // PAGE)
    path.write_bytes(data)


def root_of(path, name):
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]


@pytest.mark.parametrize("table", ["game", "bot", "tournament", "fixture", "exchange"])
def test_a_page_that_is_named_very_often_is_a_sentence(path, capsys, table):
    """400 to the power of 13 rows in 250 KB: without limits, no command ends, and Ctrl-C does nothing."""
    root = root_of(path, table)
    leaf = len(path.read_bytes()) // PAGE + 13
    with open(path, "ab") as file:
        file.write(path.read_bytes()[(root - 1) * PAGE : root * PAGE])
    grow_tree(path, root, leaf - 12, levels=13)
    assert "a fault in its structure" in refusal(path)
    for command in (["tournament", "standings"], ["tournament", "games"], ["tournament", "status"]):
        assert main([*command, str(path)]) == 2
    assert capsys.readouterr().err.count("a fault in its structure") == 3


def test_a_schema_that_is_named_very_often_is_a_sentence(path, capsys):
    """SQLite reads the whole schema before the first statement, and one row can be in it any number of times."""
    root = root_of(path, "sqlite_autoindex_bot_1")
    data = path.read_bytes()
    record = b"index" + b"sqlite_autoindex_bot_1" + b"bot" + bytes([root])
    record = bytes([6, 5 * 2 + 13, 22 * 2 + 13, 3 * 2 + 13, 1, 0]) + record
    cell = bytes([len(record), 1]) + record
    page = struct.pack(">BHHHBH", 13, 0, 1, PAGE - len(cell), 0, PAGE - len(cell))
    row = page.ljust(PAGE - len(cell), b"\0") + cell
    count = len(data) // PAGE
    # The first page: the former tree, moved to a page of its own; and then the row, again and again.
    levels = [interior(count + 3 + level, 400) for level in range(12)]
    moved = _without_header(data[:PAGE])
    cells = struct.pack(">LB", count + 1, 1)
    top = struct.pack(">BHHHBLH", 5, 0, 1, PAGE - len(cells), 0, count + 2, PAGE - len(cells))
    first = (data[:100] + top).ljust(PAGE - len(cells), b"\0") + cells
    pages = [moved, *levels, row]
    first = first[:28] + struct.pack(">L", count + len(pages)) + first[32:]
    path.write_bytes(first + data[PAGE:] + b"".join(pages))
    assert "damaged" in refusal(path)


def _without_header(page):
    """The first page of a file as another page of it: its cells stay where they are."""
    pointers = page[100:]
    kind, _, cells = struct.unpack_from(">BHH", pointers)
    head = 12 if kind == 5 else 8
    size = head + 2 * cells
    return pointers[:size] + bytes(100) + page[100 + size :]


@pytest.mark.parametrize("index", ["counted_once", "sqlite_autoindex_tournament_1", "sqlite_autoindex_entry_1"])
def test_an_index_that_contradicts_its_table_is_a_sentence(path, index):
    """Otherwise games that count would be played again, and names would be listed but not found."""
    root = root_of(path, index)
    data = bytearray(path.read_bytes())
    page = slice((root - 1) * PAGE, root * PAGE)
    data[page.start + 3 : page.start + 5] = b"\0\0"  # no rows
    path.write_bytes(data)
    assert "a fault in its structure" in refusal(path)


def test_a_name_that_is_no_text_in_a_schema_is_a_sentence(path):
    """SQLite names it in its message."""
    data = path.read_bytes()
    named = data.replace(b"tablebotbot", b"tableb\xfftbot")
    path.write_bytes(named.replace(b"CREATE TABLE bot (", b"CREATE TABLX bot ("))
    assert "a name in its schema is damaged" in refusal(path)


def test_a_file_that_claims_a_hundred_gigabytes_is_a_sentence(path):
    with open(path, "r+b") as file:
        file.truncate(100 << 30)
        file.seek(28)
        file.write(struct.pack(">L", (100 << 30) // PAGE))
    assert "a fault in its structure" in refusal(path)


def test_no_statement_takes_more_steps_than_the_size_of_a_file_explains(path):
    with TournamentFile(path) as file:
        assert file.rows("SELECT count(*) FROM game a, game b, game c, game d") == [(6**4,)]
        for _ in range(3):  # each statement has its own budget
            with pytest.raises(StoreError, match="more steps than a file of its size can need"):
                file.rows(LONG)
        assert file.rows("SELECT count(*) FROM game") == [(6,)]


def test_ctrl_c_stops_a_statement(path, monkeypatch):
    monkeypatch.setattr(limits, "FREE_STEPS", 1 << 60)
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with TournamentFile(path) as file:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                file.rows(LONG)
            assert file.rows("SELECT count(*) FROM game") == [(6,)]
    finally:
        signal.signal(signal.SIGALRM, former)


# The page's file of games.


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER more AFTER INSERT ON game BEGIN DELETE FROM game; END",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TABLE more (id)",
        "CREATE INDEX more ON game (length(data))",
    ],
)
def test_the_page_opens_only_its_own_tables(tmp_path, statement):
    path = tmp_path / "page.sqlite"
    GamesFile(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE INDEX own ON game (changed)")
        database.commit()
        GamesFile(path).close()
        database.execute(statement)
        database.commit()
    with pytest.raises(ValueError, match=r"another program changed its .* more\b.*pass another file with --games FILE"):
        GamesFile(path)
