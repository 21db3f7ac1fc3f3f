"""Files of every version of the tables open in this one, with everything that was in them.

After a new migration, `python tests/stores/record.py` records the file of the new version.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from noughts.matches.store_file import MIGRATIONS
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView

STORES = sorted(Path(__file__).with_name("stores").glob("*.noughts"))
STANDINGS = [("greedy", 4), ("first", -2), ("random", -2)]


def test_there_is_a_file_of_each_version():
    assert [path.name for path in STORES] == [f"version-{number + 1}.noughts" for number in range(len(MIGRATIONS))]


@pytest.mark.parametrize("path", STORES, ids=[path.stem for path in STORES])
def test_a_file_of_each_version_opens_with_everything_in_it(path, tmp_path):
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    assert all(rows.values()), "each table has a row"
    copy = Path(shutil.copy(path, tmp_path))
    with TournamentFile(copy, write=True) as file:
        assert {name: file.rows(f"SELECT count(*) FROM {name}")[0][0] for name in tables} == rows
    with TournamentFile(copy) as file:
        tournament = file.tournament("main")
        assert [(row.name, row.points) for row in TournamentView(tournament).standings.order] == STANDINGS
        assert all(record.moves for record in tournament.records())
