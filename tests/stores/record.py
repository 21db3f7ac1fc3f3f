"""Records a tournament in a file of today's tables. Later versions of the program must open it.

Run this after a migration was added to `matches.store_file`: python tests/stores/record.py. Before the first release,
version 1 may still change; delete its file and run this again.
"""

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from tournament_play import play_some, tournament_in  # noqa: E402

from noughts.matches.store_file import MIGRATIONS  # noqa: E402
from noughts.sandbox.source import BotSource  # noqa: E402

BOT = "def choose(state, clock):\n    return state.legal_actions()[0]\n"
ROWS = (
    "INSERT INTO machine (name, processor, cores) VALUES ('lab', 'a processor', 2)",
    "UPDATE game SET machine = 1",
    "INSERT INTO late VALUES (1, 1, 90)",
    "INSERT INTO draw VALUES (1, 'group', '[[\"first\", \"random\"]]')",
    "INSERT INTO review SELECT id, 0, '0.1', finished, '{}' FROM game LIMIT 1",
    "INSERT INTO exchange (tournament, game, data) VALUES (1, 1, '{}')",
    "INSERT INTO playing VALUES (99, 1, 'first', 'random', '[4]', 1.5)",
    "INSERT INTO token VALUES ('00', 1, 1, '2026-11-20T00:00:00.000+00:00')",
    "INSERT INTO rating VALUES (1, 1, 2, '2026-11-20T00:00:00.000+00:00', 1500.5, 1400.0, 1600.0)",
    "INSERT INTO friendly (tournament, asker, opponent, asked) VALUES (1, 1, 2, '2026-11-20T00:00:00.000+00:00')",
)
"""Rows of tables that no game of a league fills."""


def record(path):
    with tempfile.TemporaryDirectory() as folder:
        tournament = tournament_in(Path(folder) / "class.noughts", players=("random", "greedy"))
        tournament.entries.enter("first", BotSource("first.py", None, BOT))
        play_some(tournament)
        with tournament.file.change():
            for row in ROWS:
                tournament.file.do(row)
        tournament.file.close()
        with closing(sqlite3.connect(tournament.file.path, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            database.execute("PRAGMA page_size = 1024")
            database.execute("VACUUM INTO ?", (str(path),))


if __name__ == "__main__":
    target = FOLDER / f"version-{len(MIGRATIONS)}.noughts"
    if target.exists():
        sys.exit(f"{target} exists; files of earlier versions never change")
    record(target)
