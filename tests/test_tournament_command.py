"""`noughts tournament` as staff meet it: one command, sentences for mistakes, files for everybody."""

import csv
import io
import itertools
import json
import os
import re
import signal
import sys
import time
import zipfile
from contextlib import redirect_stderr, redirect_stdout

import pytest
from test_cli import Terminal, run_command
from tournament_play import play_some, played_games, tournament_in

from noughts.cli import main
from noughts.course.export import export
from noughts.matches.replays import from_json
from noughts.tournaments import StoreError
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView

PRINTS = """
def choose(state, clock):
    print("a secret of {name}")
    return state.legal_actions()[0]
"""
CRASHES_LATE = """
def choose(state, clock):
    if len(state.history()) == {ply}:
        print("last words of late")
        raise KeyError("lost")
    return state.legal_actions()[-1]
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A tournament of three bots and two built-in players, played once: its folder and what was said."""
    folder = tmp_path_factory.mktemp("course")
    bots = folder / "bots"
    bots.mkdir()
    (bots / "ants.py").write_text(PRINTS.format(name="ants"))
    (bots / "bees.py").write_text(PRINTS.format(name="bees").replace("[0]", "[-1]"))
    (bots / "late.py").write_text(CRASHES_LATE.format(ply=0))
    (bots / "broken.py").write_text("def choose(state, clock)\n    pass\n")
    line = f"tournament run {bots} --file {folder}/class.noughts --game classic --time 5 --seed 3 --jobs 1 --admit all"
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*line.split(), "--staff", "random", "greedy"])
    return folder, code, out.getvalue(), err.getvalue()


def asked(capsys, folder, action, *more):
    code, out, err = run_command(capsys, "tournament", action, str(folder / "class.noughts"), *more)
    assert code == 0, err
    return out


def test_a_run_tells_what_it_did_who_is_out_and_where_things_are(played):
    folder, code, out, err = played
    assert code == 0
    why = "broken plays, with a warning: reading: syntax error: expected ':' (line 1)"
    assert why in " ".join(out.split())
    assert "of 30 games" in err, "6 contestants, everybody twice"
    assert "30 of 30 games: finished" in out
    assert f"noughts tournament standings {folder}/class.noughts --pools" in out
    assert f"noughts tournament freeze {folder}/class.noughts" in out
    assert "last fault: " in err


def test_where_too_few_bots_pass_the_run_says_why_each_is_out(tmp_path, capsys):
    (tmp_path / "ants.py").write_text("def choose(state, clock)\n    pass\n")
    (tmp_path / "bees.py").write_text("import nonsense\ndef choose(state, clock): return 0\n")
    line = (
        "tournament",
        "run",
        str(tmp_path),
        "--file",
        str(tmp_path / "t.noughts"),
        "--game",
        "classic",
        "--jobs",
        "1",
    )
    code, _, err = run_command(capsys, *line)
    assert code == 2
    assert re.search("ants is excluded: .*syntax error.*bees is excluded: .*nonsense.*nothing to play", err, re.DOTALL)
    _, out, _ = run_command(capsys, "tournament", "games", str(tmp_path / "t.noughts"), "--all", "--staff")
    assert "(does not count)" in out, "those of the check"


def test_given_again_there_is_nothing_to_play(played, capsys):
    folder, *_ = played
    code, out, _ = run_command(
        capsys, "tournament", "run", "--file", f"{folder}/class.noughts", "--jobs", "1", "--json"
    )
    assert code == 0
    assert json.loads(out)["games"] == 30


def test_status_standings_games_and_marks(played, capsys):
    folder, *_ = played
    out = asked(capsys, folder, "status")
    assert "league of Tic-Tac-Toe, 5 s per move" in out
    assert re.search(r"random +1 +plays, staff", out)
    facts = json.loads(asked(capsys, folder, "status", "--json"))
    assert facts["finished"]
    assert facts["machines"][0]["games"] == 30, "and none of the gate"
    assert facts["machines"][0]["speed"] > 0
    out = asked(capsys, folder, "standings")
    assert max(map(len, out.splitlines()[1:])) <= 80
    standings = json.loads(asked(capsys, folder, "standings", "--json"))["standings"]
    games = json.loads(asked(capsys, folder, "games", "--json", "--staff"))
    for row in standings:
        own = [(game, game["players"].index(row["name"])) for game in games if row["name"] in game["players"]]
        assert row["points"] == sum(game["points"][seat] for game, seat in own)
        assert row["games"] == len(own) == 10
    assert set(games[0]) >= {"players", "seed", "moves", "winner", "points", "fault", "seconds"}
    fault = next(game["fault"] for game in games if game["players"][0] == "late")
    assert fault == {"player": 0, "kind": "crash", "text": "crashed: KeyError: 'lost' (line 5)", "line": 5}
    marks = {mark["name"]: mark["marks"] for mark in json.loads(asked(capsys, folder, "marks", "--json"))}
    assert set(marks) == {"ants", "bees", "late", "broken"}, "staff get none"
    assert "league, pool 1" in asked(capsys, folder, "standings", "--pools")
    assert "ants" in asked(capsys, folder, "standings", "--season")


def test_marks_by_thresholds(played, capsys, tmp_path):
    folder, *_ = played
    (tmp_path / "marks.toml").write_text('[[threshold]]\nagainst = "random"\nscore = 0.01\nmarks = 10\n')
    out = asked(
        capsys, folder, "marks", "--thresholds", f"{tmp_path}/marks.toml", "--csv", f"{tmp_path}/marks.csv", "--json"
    )
    assert all(mark["out_of"] == 10 for mark in json.loads(out))
    with open(tmp_path / "marks.csv") as file:
        assert [row["team"] for row in csv.DictReader(file)] == ["ants", "bees", "broken", "late"]


def test_a_team_gets_its_games_its_own_prints_and_its_faults_with_the_line(played, capsys, tmp_path):
    folder, *_ = played
    asked(capsys, folder, "export", str(tmp_path / "results"))
    results = json.loads((tmp_path / "results" / "gradescope" / "ants" / "results.json").read_text())
    assert results["leaderboard"][0]["name"] == "Marks"
    with open(tmp_path / "results" / "games.csv") as file:
        assert len(list(csv.DictReader(file))) == 30
    with open(tmp_path / "results" / "standings.csv") as file:
        assert len(list(csv.DictReader(file))) == 6
    with zipfile.ZipFile(tmp_path / "results" / "teams" / "ants.zip") as file:
        texts = {name: file.read(name).decode() for name in file.namelist()}
    assert any("a secret of ants" in text for name, text in texts.items() if name.endswith(".log"))
    assert not any("secret of bees" in text or "last words" in text or "Traceback" in text for text in texts.values())
    assert len([name for name in texts if name.startswith("games/") and name.endswith(".json")]) == 10
    for name, text in texts.items():
        if name.endswith(".json"):
            assert "ants" in from_json(text).players
    with zipfile.ZipFile(tmp_path / "results" / "teams" / "late.zip") as file:
        faults = file.read("faults.txt").decode()
    assert "crashed: KeyError: 'lost' (line 5)" in faults
    assert "    5 |         raise KeyError" in faults
    first = (tmp_path / "results" / "teams" / "ants.zip").read_bytes()
    asked(capsys, folder, "export", str(tmp_path / "again"))
    assert (tmp_path / "again" / "teams" / "ants.zip").read_bytes() == first


def test_a_team_that_failed_the_check_reads_why_with_its_marks(tmp_path):
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return 1 / 0\n")
    tournament = tournament_in(tmp_path / "class.noughts", players=("random", "greedy", f"{tmp_path}/broken.py"))
    play_some(tournament)
    export(TournamentView(tournament), tmp_path / "results")
    results = json.loads((tmp_path / "results" / "gradescope" / "broken" / "results.json").read_text())
    assert results["score"] == 0
    (test,) = results["tests"]
    assert re.search(r"failed the check: .*ZeroDivisionError.*line 2", test["output"])
    results = json.loads((tmp_path / "results" / "gradescope" / "random" / "results.json").read_text())
    assert "failed" not in results["tests"][0]["output"]


def test_an_export_leaves_no_team_of_before_and_takes_no_folder_of_another_tournament(tmp_path):
    results = tmp_path / "results"
    tournament = tournament_in(tmp_path / "class.noughts")
    play_some(tournament)
    export(TournamentView(tournament), results)
    (results / "teams" / "mine.zip").write_text("not of an export")
    (results / "gradescope" / "greedy" / "notes").write_text("not of an export")
    for name in ("greedy", "random:seed=5"):
        tournament.entries.remove(name)
    enter_players(tournament, ["greedy:seed=2"], staff=False)
    play_some(tournament)
    export(TournamentView(tournament), results)
    assert sorted(path.name for path in (results / "teams").iterdir()) == [
        "greedy-seed-2.zip",
        "mine.zip",
        "random.zip",
    ]
    assert [path.name for path in (results / "gradescope" / "greedy").iterdir()] == ["notes"]
    assert not (results / "gradescope" / "random-seed-5").exists()
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    other = tournament_in(tmp_path / "other.noughts", seed=8)
    play_some(other)
    with pytest.raises(StoreError, match="contains the export of another tournament; name another folder"):
        export(TournamentView(other), results)
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before
    (results / "export.json").write_text('{"tournament": [], "teams": ["../.."]}')
    with pytest.raises(StoreError, match="was not written by an export"):
        export(TournamentView(tournament), results)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("run", "name a folder of bots"),
        ("run {folder}/nobody --game classic", "there is no folder"),
        ("run {folder}/bots --file {folder}/new.noughts", "a new tournament needs a game; pass --game"),
        ("run {folder}/bots --file {folder}/new.noughts --game chess", "there is no game 'chess'"),
        ("run {folder}/bots --file {folder}/new.noughts --game wild --format cup", "there is no format 'cup'"),
        (
            "run {folder}/bots --file {folder}/new.noughts --game wild --rounds 0",
            "--rounds must be 1 to 100,000, not 0",
        ),
        (
            "run {folder}/bots --file {folder}/new.noughts --game wild --rounds 100000000",
            "--rounds must be 1 to 100,000, not 100000000",
        ),
        (
            "run {folder}/bots --file {folder}/new.noughts --game wild --rounds 100000",
            "would be 1,200,000 games, and a tournament can have at most 1,000,000; use fewer rounds",
        ),
        ("run --file {file} --rounds 99999", "would be 2,999,970 games"),
        ("run --file {file} --until-sure 90% --budget 10000000", "--budget must be 1 to 1,000,000"),
        ("run {folder}/bots --file {folder}/new.noughts --game wild --until-sure x", "such as 90%, not 'x'"),
        ("run {folder}/bots --file {folder}/new.noughts --game wild --seed -1", "--seed must be a whole number"),
        ("run {folder}/bots --file {folder}/no/new.noughts --game wild", "there is no folder"),
        ("run {folder}/bots --file {folder}/new.noughts --game wild --jobs 1000", "--jobs must be 1 to"),
        (
            "run {folder}/bots --file {folder}/new.noughts --game wild --executor slurm",
            "--executor must be local or ray",
        ),
        (
            "run {folder}/bots --file {folder}/new.noughts --game wild --executor ray --watch",
            "on this machine|needs Ray",
        ),
        ("run {folder}/bots --file {folder}/new.noughts --game wild --address x", "needs --executor ray"),
        ("run --file {folder}/new.noughts --game wild", "name a folder of bots for a new tournament"),
        ("run --file {file} --game wild", "plays classic, not wild; pass another --name"),
        ("run --file {file} --time 6", "is played with seconds 5.0, not 6.0"),
        ("run --file {file} --format course", "is played with format league, not course"),
        ("run --file {file} --seed 4", "has another seed"),
        ("status {folder}/nothing", "there is no tournament file"),
        ("standings {folder}", "is a folder; name a file"),
        ("status {file} --name other", "there is no tournament 'other'"),
        ("standings {file} --top 0", "--top must be 1 or more"),
        ("games {file} --bot nobody", "there is no contestant 'nobody' in this tournament"),
        ("add {folder}/nothing random", "there is no tournament file"),
        ("add {file} nobody.py", "there is no bot file 'nobody.py'"),
        ("add {file} chess", "there is no player 'chess'"),
        ("remove {file} nobody", "there is no contestant 'nobody'"),
        ("rerun {file}", "pass --slow, --game N or --bot NAME"),
        ("rerun {file} --game 999", "game 999 does not exist or does not count"),
        ("export {file} {file}", "is a file, not a folder|Not a directory"),
        ("marks {file} --thresholds nothing.toml", "cannot read"),
    ],
)
def test_mistakes_get_a_sentence_and_change_nothing(played, capsys, words, why):
    folder, *_ = played
    file = folder / "class.noughts"
    before = file.read_bytes()
    code, _, err = run_command(capsys, "tournament", *words.format(folder=folder, file=file).split())
    assert code == 2
    assert re.search(why, err.replace("\n", " ")), err
    assert "Traceback" not in err
    assert file.read_bytes() == before
    assert not (folder / "new.noughts").exists()


def test_who_is_removed_or_added_and_what_is_played_again(capsys, tmp_path):
    file = str(tmp_path / "t.noughts")
    run = ["tournament", "run", "--file", file, "--game", "classic", "--jobs", "1", "--staff", "random", "greedy"]
    assert run_command(capsys, *run)[0] == 0
    assert "added perfect" in run_command(capsys, "tournament", "add", file, "perfect")[1]
    assert run_command(capsys, "tournament", "rerun", file, "--game", "1")[1].startswith("games to be played again: 1;")
    assert "removed greedy" in run_command(capsys, "tournament", "remove", file, "greedy")[1]
    code, out, _ = run_command(capsys, "tournament", "run", "--file", file, "--jobs", "1")
    assert code == 0
    assert "2 games played. 2 of 2 games: finished" in out
    assert json.loads(run_command(capsys, "tournament", "add", file, "perfect", "--json")[1]) == {"added": []}


def test_without_an_action_a_small_tournament_is_played_here(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("noughts.commands.tournament._demo.DEMO_PLAYERS", ("greedy",))
    code, out, _ = run_command(capsys, "tournament")
    assert code == 0
    assert "A league of ultimate between example bots and built-in players" in out
    assert "6 of 6 games: finished" in out
    assert "Everything is in tournament.noughts" in out
    assert [path.name for path in tmp_path.iterdir()] == ["tournament.noughts"]


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
def test_a_terminal_of_80_columns_shows_the_table_and_ctrl_c_loses_nothing(tmp_path):
    file = tmp_path / "t.noughts"
    words = f"tournament run --file {file} --game ultimate --rounds 500 --jobs 1 --watch --staff random greedy"
    with Terminal(*words.split()) as terminal:
        terminal.read_until(b"of 1000 games, ")
        terminal.read_until(b"points")
        terminal.read_until(b"greedy - random: 1. ")
        terminal.process.send_signal(signal.SIGINT)
        shown = terminal.read_all()
    assert terminal.process.returncode == 130
    assert b"nothing is lost" in shown
    assert b"Traceback" not in shown
    with TournamentFile(file, write=True) as again:
        assert len(again.tournament().results()) > 0


def test_until_sure_says_how_sure_it_became(tmp_path, capsys):
    words = f"tournament run --file {tmp_path}/t.noughts --game classic --jobs 1 --staff random perfect"
    code, out, _ = run_command(capsys, *words.split(), "--until-sure", "99.9%", "--places", "1", "--budget", "6")
    assert code == 0
    assert "8 games played. 8 of 8 games: finished" in out
    assert re.search(r"By rating: with 6 games more, the first place is \d+% sure \(asked for: 100%\)\.", out), out
    code, out, _ = run_command(capsys, *words.split(), "--until-sure", "50%")
    assert "no games were left to play" in out, "it is as sure as that"
    assert re.search(r"the first place is (5\d|[6-9]\d|100)% sure \(asked for: 50%\)", out)


def test_a_clock_that_is_set_changes_dates_and_nothing_else(tmp_path, monkeypatch, capsys):
    """The clock of the day is a day further at every look; those that times are measured by go on as ever."""
    run = "tournament run --game wild --jobs 1 --seed 3 --staff random greedy --file".split()
    assert run_command(capsys, *run, f"{tmp_path}/calm.noughts")[0] == 0
    calm, days = time.time, itertools.count()
    monkeypatch.setattr("time.time", lambda: calm() - 86400 * next(days))
    code, out, err = run_command(capsys, *run, f"{tmp_path}/set.noughts")
    assert code == 0
    assert "the clock of this machine was set" in err
    assert "2 of 2 games: finished" in out
    with TournamentFile(tmp_path / "calm.noughts") as one, TournamentFile(tmp_path / "set.noughts") as other:
        assert played_games(one.tournament()) == played_games(other.tournament())


def test_long_names_fit_80_columns(tmp_path, capsys):
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in ("a" * 70, "the team that has a name so long that no table of eighty columns"):
        (bots / f"{name}.py").write_text(PRINTS.format(name="x"))
    run = f"tournament run {bots} --game extreme --jobs 1 --file".split()
    code, out, _ = run_command(capsys, *run, f"{tmp_path}/t.noughts", "--staff", "mcts:games=1,memory=1,time=0.0000001")
    assert code == 0
    table = out.partition("Everything is in")[0]
    assert "the team that ha" in table
    assert "mcts:games=1,mem" in table
    assert max(map(len, table.splitlines())) <= 80


def test_ray_is_asked_for_where_it_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = f"tournament run --file {tmp_path}/t.noughts --game wild --executor ray --staff random greedy"
    code, _, err = run_command(capsys, *words.split())
    assert code == 2
    assert "a cluster needs Ray: pip install ray" in err
