"""Commands read a tournament once: its entries, its results, and each of its games."""

from collections import Counter

import pytest
from hostile_class import FOREIGN, played
from test_cli import run_command

import noughts
from noughts.bots.gate import GateReport
from noughts.course import handed_in
from noughts.database import Database
from noughts.matches import replays
from noughts.tournaments import reviews
from noughts.tournaments.ladder import create_ladder, submit
from noughts.tournaments.settings import Settings
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


def test_an_upload_to_a_ladder_of_forty_takes_at_most_eight_statements(tmp_path, read):
    settings = Settings(format="ladder", seconds=1.0)
    with TournamentFile(tmp_path / "ladder.noughts", write=True) as file:
        ladder = create_ladder(file, noughts.load_game("classic"), settings, [f"team{number}" for number in range(40)])
        for text, version in ((b"a = 1\n", 1), (b"a = 2\n", 2), (b"a = 2\n", 2)):
            read.clear()
            assert submit(ladder, "team7", text, read=lambda _: GateReport(breaches=[])).version == version
            assert read["statements"] <= 8


def test_each_submission_of_a_new_tournament_is_read_once(tmp_path, capsys, monkeypatch):
    texts = Counter()
    decode = handed_in.decode

    def counted(data, path):
        texts[data] += 1
        return decode(data, path)

    monkeypatch.setattr(handed_in, "decode", counted)
    monkeypatch.setattr("noughts.commands.tournament._play.play", lambda *_, **__: 0)
    (tmp_path / "bots").mkdir()
    for name in ("ants", "bees"):
        (tmp_path / "bots" / f"{name}.py").write_text(f"name = {name!r}\n")
    bots, file = str(tmp_path / "bots"), str(tmp_path / "class.noughts")
    assert run_command(capsys, "tournament", "run", bots, "--game", "classic", "--file", file)[0] == 0
    assert sorted(texts.values()) == [1, 1]
    with TournamentFile(file) as opened:
        assert [entry.name for entry in opened.tournament().entries.all() if entry.waits] == ["ants", "bees"]
