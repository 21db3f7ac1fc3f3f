"""Commands read a tournament once: its entries, its results, and each of its games."""

from collections import Counter

import pytest
from hostile_class import FOREIGN, played
from test_cli import run_command

from noughts.database import Database
from noughts.matches import replays
from noughts.tournaments import reviews
from noughts.tournaments.store import TournamentFile

COMMANDS = {
    "status": ("tournament", "status", "{file}"),
    "standings": ("tournament", "standings", "{file}", "--pools"),
    "marks": ("tournament", "marks", "{file}"),
    "games": ("tournament", "games", "{file}", "--json", "--for", FOREIGN),
    "export": ("tournament", "export", "{file}", "{folder}/results", "--all-logs"),
    "report": ("report", "{file}", "--no-analysis", "-o", "{folder}/report.html"),
    "report of a team": ("report", "{file}", "--no-analysis", "-o", "{folder}/report.html", "--for", FOREIGN),
    "report of each team": ("report", "{file}", "--no-analysis", "--teams", "{folder}/pages"),
    "puzzles": ("report", "{file}", "--no-analysis", "--puzzles", "{folder}/puzzles"),
}
MOST_STATEMENTS = 15
"""Beside those that open the file and compare its tables with ours."""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A reviewed tournament of four, whose 12 games and those of the gate have prints and faults."""
    path = tmp_path_factory.mktemp("class") / "class.noughts"
    tournament = played(path)
    list(reviews.review_all(tournament, reviews.unreviewed_games(tournament)))
    tournament.file.close()
    return path


@pytest.fixture
def read(monkeypatch):
    """Counts what is read: statements by their text, and replays by their text."""
    counts = Counter()
    execute, from_json = Database.execute, replays.parse_json

    def counted_execute(self, sql, *values):
        counts["statements"] += 1
        counts["entries"] += "FROM entry JOIN bot" in sql and "alias" in sql
        counts["results"] += "CROSS JOIN game" in sql
        return execute(self, sql, *values)

    def counted_replay(text, kind):
        counts[text] += 1
        return from_json(text, kind)

    monkeypatch.setattr(Database, "execute", counted_execute)
    monkeypatch.setattr(replays, "parse_json", counted_replay)
    return counts


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_reads_entries_results_and_each_game_once(command, file, tmp_path, capsys, read):
    with TournamentFile(file) as opened:
        replays_in_file = {text for (text,) in opened.rows("SELECT replay FROM game")}
    opening = read.pop("statements")
    code, _, err = run_command(capsys, *(part.format(file=file, folder=tmp_path) for part in COMMANDS[command]))
    assert code == 0, err
    assert read["entries"] == 1
    assert read["results"] <= 1
    assert {text: count for text, count in read.items() if text in replays_in_file and count > 1} == {}
    assert read["statements"] - opening <= MOST_STATEMENTS
