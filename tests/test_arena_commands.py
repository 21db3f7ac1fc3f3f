"""match, check, replay and log as users meet them."""

import json
import re

import pytest

from noughts.cli import main

GOOD = """
class Team:
    def move(self, board, old_move, flag):
        print("flag", flag)
        return board.find_valid_move_cells(old_move)[0]
"""
BAD = """
import random

def helper():
    return 1

class Board:
    pass

class Team:
    def __init__(self):
        self.moves = 0

    def move(self, board, old_move, flag):
        self.moves += 1
        if self.moves == 3:
            return self.moves / 0
        return random.choice(board.find_valid_move_cells(old_move))
"""


@pytest.fixture
def bots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    return tmp_path


def said(capsys, *args, code=0):
    assert main(list(args)) == code
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines()), default=0) <= 80
    return out, err


def test_a_match_lists_games_and_standings(bots, capsys):
    out, err = said(capsys, "match", "good.py", "random", "--game", "ultimate", "--games", "2")
    assert "Ultimate Tic-Tac-Toe, 2 games, 10 s a move" in out
    assert re.search(r"^good +\d+ +\d+ +\d+", out, re.MULTILINE)
    assert "sandbox: system calls filtered" in err


def test_a_match_names_each_fault_once(bots, capsys):
    out, _ = said(capsys, "match", "bad.py", "good.py", "--game", "ultimate", "--games", "4")
    assert out.count("ZeroDivisionError") == 1
    assert "(line 17)" in out


def test_a_match_for_scripts(bots, capsys):
    assert main(["match", "good.py", "greedy", "--game", "classic", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["players"][0]["faults"] == {"crash": 2}
    assert [game["fault"]["player"] for game in facts["games"]] == [0, 1]


HURRIED = ("match", "random", "greedy", "--game", "wild", "--seed", "1", "--time", "1e-9")


def test_times_are_for_the_terminal(capsys, monkeypatch):
    out, _ = said(capsys, *HURRIED)
    assert "longest" not in out
    assert said(capsys, *HURRIED)[0] == out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    assert "median move  longest" in said(capsys, *HURRIED)[0]


def test_late_moves_of_players_whom_nobody_stops_are_said(capsys, monkeypatch):
    assert main([*HURRIED, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert sum(player["late_moves"] for player in facts["players"]) == sum(game["moves"] for game in facts["games"])
    assert all(player["worst_seconds"] > facts["move_seconds"] for player in facts["players"])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    out, _ = said(capsys, *HURRIED)
    for player in facts["players"]:
        n = player["late_moves"]
        assert f"{player['name']}: {n} of {n} moves over 0.0 ms, the latest by" in out
    assert "moves over" not in said(capsys, *HURRIED[:-2])[0]


def test_built_in_players_need_no_sandbox(bots, capsys):
    _, err = said(capsys, "match", "random", "greedy", "--game", "numerical")
    assert "sandbox" not in err


def test_kept_games_can_be_read_and_stepped_through(bots, capsys):
    said(capsys, "match", "good.py", "bad.py", "--game", "ultimate", "--log", "kept")
    files = sorted(path.name for path in (bots / "kept").iterdir())
    assert files == [
        "game-0001-good-bad.json",
        "game-0001-good-bad.log",
        "game-0002-bad-good.json",
        "game-0002-bad-good.log",
    ]
    first = str(bots / "kept" / files[0])
    out, _ = said(capsys, "log", first)
    assert out == (bots / "kept" / files[1]).read_text()
    assert "1. x (good) plays (0, 0)" in out
    assert "good wins; bad: crashed: ZeroDivisionError" in out
    assert "flag x" not in out
    out, _ = said(capsys, "log", first, "--prints", "x")
    assert "| flag x" in out
    assert "Traceback" not in out
    out, _ = said(capsys, "log", first, "--prints", "o")
    assert "flag x" not in out
    assert "self.moves / 0" in out
    out, _ = said(capsys, "replay", first)
    assert "move 5 of 5" in out
    out, _ = said(capsys, "replay", first, "--at", "1")
    assert "move 1 of 5: x (good) plays (0, 0)" in out
    _, err = said(capsys, "replay", first, "--at", "9", code=2)
    assert "--at is 0 to 5" in err
    main(["replay", first, "--json"])
    assert len(json.loads(capsys.readouterr().out)["positions"]) == 6
    _, err = said(capsys, "match", "good.py", "bad.py", "--game", "ultimate", "--log", "kept", code=2)
    assert "already holds games" in err


def test_what_is_no_replay_is_said(bots, capsys):
    _, err = said(capsys, "log", "good.py", code=2)
    assert "good.py is not a replay that can be used: it is not JSON" in err
    _, err = said(capsys, "replay", "nothing.json", code=2)
    assert "nothing.json" in err


def test_check_passes_a_good_bot(bots, capsys):
    out, _ = said(capsys, "check", "good.py", "--game", "ultimate")
    assert "submission rules  kept" in out
    assert "all is well" in out


def test_check_finds_what_is_wrong_and_where(bots, capsys):
    out, _ = said(capsys, "check", "bad.py", "--game", "ultimate", code=1)
    assert "submission rules  2 broken" in out
    assert "line 4: function helper is outside the class" in out
    assert "line 7: class Board is code of the evaluator" in out
    assert "line 17: games 1, 2, 3, 4: crashed: ZeroDivisionError" in out
    assert "17 |             return self.moves / 0" in out


def test_check_for_scripts(bots, capsys):
    main(["check", "bad.py", "--game", "ultimate", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert not facts["passed"]
    assert facts["loads"]
    assert {fault["line"] for fault in facts["faults"]} == {17}


def test_check_says_why_a_file_does_not_load(bots, capsys):
    (bots / "old.py").write_text("class Team:\n    def move(self, b, o, f):\n        print 'x'\n")
    out, _ = said(capsys, "check", "old.py", "--game", "ultimate", code=1)
    assert "loads             no" in out
    assert "noughts convert" in out.replace("\n", " ")
    out, _ = said(capsys, "check", "good.py:Nobody", "--game", "ultimate", code=1)
    assert "there is no class Nobody" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--time", "0"], "--time is in seconds"),
        (["--memory", "1"], "--memory is in megabytes"),
        (["--load-time", "-1"], "--load-time is in seconds"),
        (["--games", "0"], "needs 1 game or more"),
    ],
)
def test_wrong_limits_are_refused(bots, capsys, args, words):
    _, err = said(capsys, "match", "good.py", "random", "--game", "ultimate", *args, code=2)
    assert words in err
