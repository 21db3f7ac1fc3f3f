"""A rehearsal: the whole tournament in a fraction of its time, and marked as one wherever it is shown."""

import json
import zipfile

import pytest
from test_cli import run_command
from tournament_play import play_some, tournament_in

from noughts.report import gather
from noughts.sandbox import BotSource
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC
from noughts.web._watching import TournamentSource

THINKS = """import time
def choose(state, clock):
    began = time.time()
    while time.time() < began + 59:
        pass
    return state.legal_actions()[0]
"""
"""It takes 59 seconds for every move by its own clock, and does not ask what its limit is."""


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory):
    """A league of two that would take half an hour by the real clock."""
    folder = tmp_path_factory.mktemp("rehearsal")
    tournament = tournament_in(folder / "t.noughts", players=(), seconds=60.0, rehearsal=0.005)
    for name in ("ants", "bees"):
        tournament.entries.enter(name, BotSource(f"{name}.py", None, THINKS))
    play_some(tournament)
    tournament.file.close()
    return folder


def test_bots_with_a_hard_coded_time_play_whole_games_in_a_rehearsal(rehearsed):
    with TournamentFile(rehearsed / "t.noughts") as file:
        tournament = file.tournament()
        assert [entry.reason for entry in tournament.entries.all()] == ["", ""]
        games = tournament.records()
        assert [record.reason for record in games] == ["line", "line"]
        assert all(seconds < 59 for record in games for seconds in record.seconds)


@pytest.mark.parametrize(
    "words", [("status",), ("standings",), ("standings", "--pools"), ("marks",), ("games",), ("standings", "--season")]
)
def test_every_output_of_a_rehearsal_says_so(rehearsed, capsys, words):
    action, *more = words
    _, out, _ = run_command(capsys, "tournament", action, str(rehearsed / "t.noughts"), *more)
    assert "REHEARSAL: " in out
    _, out, _ = run_command(capsys, "tournament", action, str(rehearsed / "t.noughts"), *more, "--json")
    assert '"rehearsal": true' in out
    assert '"rehearsal": false' not in out


def test_a_run_a_report_and_watch_say_so_too(rehearsed, capsys):
    path = rehearsed / "t.noughts"
    assert "REHEARSAL: " in run_command(capsys, "tournament", "run", "--file", str(path), "--jobs", "1")[1]
    with TournamentFile(path) as file:
        assert gather(TournamentView(file.tournament())).head["notice"].startswith("REHEARSAL: ")
    assert TournamentSource(path, "main").snapshot(PUBLIC)["notice"].startswith("REHEARSAL: ")


def test_a_rehearsal_gives_no_marks_for_an_lms(rehearsed, capsys, tmp_path):
    path = str(rehearsed / "t.noughts")
    for option in ("--csv", "--into"):
        code, _, err = run_command(capsys, "tournament", "marks", path, option, str(tmp_path / "marks.csv"))
        assert (code, "rehearsal" in err) == (2, True)
    assert run_command(capsys, "tournament", "export", path, str(tmp_path / "out"))[0] == 0
    found = {file.name for file in (tmp_path / "out").iterdir()}
    assert found == {"export.json", "rehearsal-standings.csv", "rehearsal-games.csv", "teams"}
    with zipfile.ZipFile(tmp_path / "out" / "teams" / "ants.zip") as file:
        assert file.read("summary.txt").startswith(b"REHEARSAL: ")


def test_a_tournament_that_counts_is_no_rehearsal(tmp_path, capsys):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy"))
    play_some(tournament)
    tournament.file.close()
    for action in ("status", "standings", "marks", "games"):
        assert "REHEARSAL" not in run_command(capsys, "tournament", action, str(tmp_path / "t.noughts"))[1]
    facts = json.loads(run_command(capsys, "tournament", "status", str(tmp_path / "t.noughts"), "--json")[1])
    assert facts["rehearsal"] is False
    code, _, err = run_command(capsys, *f"tournament run --file {tmp_path}/t.noughts --rehearsal 0.1 --jobs 1".split())
    assert (code, "is played without rehearsal, not with 0.1" in err) == (2, True), "it stays what it is"


@pytest.mark.parametrize("seconds", [0.0, 5.0, -1.0, 10.0])
def test_fast_clocks_are_faster_than_the_real_one(seconds):
    with pytest.raises(ValueError, match="above 0 and below the 5 s"):
        Settings(seconds=5.0, rehearsal=seconds)
