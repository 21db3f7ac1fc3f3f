"""match, check, replay and log as users meet them."""

import json
import re
from pathlib import Path

import pytest

from noughts.cli import main
from noughts.commands._bot_options import say_layers
from noughts.sandbox import ForkServer, Layers, probe
from noughts.sandbox.layers import BLIND, NONE, REFEREE

GOOD = """
class Team:
    def __init__(self):
        self.moves = 0

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
    with ForkServer() as server:
        assert ("sandbox: " in err) == (not probe(server).is_complete)


@pytest.mark.parametrize(
    ("layers", "missing"),
    [
        (Layers(REFEREE, 4, dropped_root=True), ""),
        (Layers(REFEREE, 1, dropped_root=False, cgroup=True), ""),
        (Layers(REFEREE, 0, dropped_root=True), "no Landlock here"),
        (Layers(BLIND, 4, dropped_root=False), "forbidden ones end the bot without a name"),
        (Layers(NONE, 0, dropped_root=False), "There is no sandbox"),
    ],
)
def test_the_sandbox_is_described_only_where_a_layer_is_missing(layers, missing, monkeypatch, capsys):
    monkeypatch.setattr("noughts.sandbox.probe", lambda *_, **__: layers)
    say_layers(None, unsafe=False)
    err = capsys.readouterr().err
    assert bool(err) == bool(missing)
    assert missing in err.replace("\n", " ")
    assert max(map(len, err.splitlines()), default=0) <= 80


def test_a_match_names_each_fault_once_with_its_traceback(bots, capsys):
    out, _ = said(capsys, "match", "bad.py", "good.py", "--game", "ultimate", "--games", "4")
    assert out.count("crashed: ZeroDivisionError") == 1
    assert "(line 17)" in out
    assert out.count("    | ZeroDivisionError") == 1
    assert re.search(r"^    \|   File .*line 17", out, re.MULTILINE)


def test_a_match_names_a_game_that_was_lost(bots, capsys):
    out, _ = said(capsys, "match", "bad.py", "good.py", "--game", "ultimate", "--games", "1", "--log", "lost")
    assert "Ultimate Tic-Tac-Toe, 1 game, " in out
    assert "1 game saved in lost" in out
    head = "bad lost game 1 by a fault; see the position:\n  noughts "
    command = out.split(head)[1].split()
    assert command[:3] == ["replay", "lost/game-0001-bad-good.json", "--at"]
    assert "crashed: ZeroDivisionError" in said(capsys, *command)[0]


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


def test_players_with_long_names_fit_the_table_of_games(capsys):
    out, _ = said(capsys, "match", "alphabeta:nodes=9", "alphabeta:nodes=9,network=none", "--game", "ultimate")
    assert re.search(r"^ +1  alphabeta:nodes=9 - +\d+  ", out, re.MULTILINE)
    assert re.search(r"^ +alphabeta:network=none,nodes=9 ", out, re.MULTILINE)


def test_a_match_stopped_in_its_first_game_has_no_tables(capsys, monkeypatch):
    def stopped(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("noughts.commands.match.play_into", stopped)
    out, err = said(capsys, "match", "random", "greedy", "--game", "wild", "--seed", "1", code=130)
    assert "stopped after 0 of 2 games" in err
    assert out.splitlines()[1:] == ["seed 1"]


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
        "games.noughts",
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
    assert "move 1 of 5: x (good) plays 0,0; " in out
    _, err = said(capsys, "replay", first, "--at", "9", code=2)
    assert "--at must be 0 to 5" in err
    main(["replay", first, "--json"])
    assert len(json.loads(capsys.readouterr().out)["positions"]) == 6
    _, err = said(capsys, "match", "good.py", "bad.py", "--game", "ultimate", "--log", "kept")
    assert "kept already contains" in err
    Path("kept", "games.noughts").unlink()
    _, err = said(capsys, "match", "good.py", "bad.py", "--game", "ultimate", "--log", "kept", code=2)
    assert "already contains games" in err


def test_what_is_no_replay_is_said(bots, capsys):
    _, err = said(capsys, "log", "good.py", code=2)
    assert "good.py is not a valid replay: it is not JSON" in err
    _, err = said(capsys, "replay", "nothing.json", code=2)
    assert "nothing.json" in err


def test_check_passes_a_good_bot(bots, capsys):
    out, _ = said(capsys, "check", "good.py", "--game", "ultimate")
    assert "submission rules  kept" in out
    assert "no problems found" in out


def test_check_finds_what_is_wrong_and_where(bots, capsys):
    out, _ = said(capsys, "check", "bad.py", "--game", "ultimate", code=1)
    assert "submission rules  2 broken" in out
    assert "line 4: function helper is outside the class" in out
    assert "line 7: class Board has the name of an evaluator's class" in out
    assert "line 17: games 1, 2, 3, 4, 5: crashed: ZeroDivisionError" in out
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
    assert "noughts convert" in " ".join(out.split())
    out, _ = said(capsys, "check", "good.py:Nobody", "--game", "ultimate", code=1)
    assert "there is no class Nobody" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--time", "0"], "--time must be above 0"),
        (["--memory", "1"], "--memory must be 16 to"),
        (["--load-time", "-1"], "--load-time must be above 0"),
        (["--games", "0"], "must have 1 to"),
    ],
)
def test_wrong_limits_are_refused(bots, capsys, args, words):
    _, err = said(capsys, "match", "good.py", "random", "--game", "ultimate", *args, code=2)
    assert words in err


SLOW = """
import signal
import time

class Team41:
    def __init__(self):
        self.rung = False

    def check_valid_move(self, move):
        return True

    def print_board(self):
        pass

    def ring(self, number, frame):
        self.rung = True

    def move(self, board, old_move, flag):
        cells = board.find_valid_move_cells(old_move)
        print(board.seconds)
        start = time.time()
        signal.signal(signal.SIGALRM, self.ring)
        signal.alarm(300)
        while time.time() - start < 0.9 * board.seconds or not self.rung:
            time.sleep(1)
        return cells[0] if flag is "x" or True else cells[1]
"""


def test_a_quick_check_of_a_slow_bot_takes_seconds_and_its_remarks_accuse_nobody(bots, capsys):
    """It thinks for 9 minutes of 10 for a move, and waits for an alarm after 5."""
    (bots / "slow.py").write_text(SLOW)
    out, err = said(capsys, "check", "slow.py", "--game", "extreme", "--quick", "--time", "600")
    assert "8 moves with fast clocks: about 2 s, at most 10 min" in err
    assert "faults            none" in out
    assert "moves             8, against random ones" in out
    assert "with fast clocks" in out
    assert "submission rules  kept" in out
    assert "methods that the evaluator's board has too: check_valid_move, print_board" in " ".join(out.split())
    assert "`is` compares identity" in out
    assert "no faults; read the remarks above" in out
    main(["check", "slow.py", "--game", "extreme", "--quick", "--time", "600", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["passed"]
    assert facts["quick"]
    assert {remark["line"] for remark in facts["remarks"]} == {5, 26}


def test_a_class_without_what_the_course_asks_for_is_not_said_to_be_well(bots, capsys):
    (bots / "plain.py").write_text(GOOD.replace("    def __init__(self):\n        self.moves = 0\n\n", ""))
    out, _ = said(capsys, "check", "plain.py", "--game", "ultimate", "--quick")
    assert "has no __init__(self), which the course requires" in out
    assert "no problems found" not in out


def test_a_match_says_what_looks_like_python_2(bots, capsys):
    (bots / "old.py").write_text(
        "class Old:\n    def move(self, board, old_move, flag):\n        return {}.has_key(1)\n"
    )
    out, _ = said(capsys, "match", "old.py", "random", "--game", "ultimate")
    assert "this looks like Python 2; try `noughts convert`" in out.replace("\n", " ")
    assert "    | AttributeError: 'dict' object has no attribute 'has_key'" in out


@pytest.mark.parametrize("command", [["replay", "."], ["log", "."], ["show", "classic", "--svg", "."]])
def test_a_folder_in_place_of_a_file_is_said_in_words(command, bots, capsys):
    _, err = said(capsys, *command, code=2)
    assert err.endswith(" is a folder; name a file\n")
    assert "Errno" not in err


def test_a_check_says_how_long_it_takes(bots, capsys):
    _, err = said(capsys, "check", "good.py", "--game", "ultimate", "--time", "24")
    assert re.search(
        r"5 games, about \d+ moves of the bot: \d+ min if the bot uses all its time; --quick", err.replace("\n", " ")
    )


OLD = """
class Team:
    def move(self, board, old_move, flag):
        cells = board.find_valid_move_cells(old_move)
        return cells[len(cells) / 2]
"""


def test_a_crash_of_python_2_is_reported_as_one(bots, capsys):
    (bots / "old.py").write_text(OLD)
    out, _ = said(capsys, "check", "old.py", "--game", "ultimate", code=1)
    assert "this looks like Python 2; try `noughts convert`" in out.replace("\n", " ")
    assert "loads             yes" in out
    (bots / "either.py").write_text(OLD.replace("cells[len(cells) / 2]", "sorted([None, 3])"))
    out, _ = said(capsys, "check", "either.py", "--game", "ultimate", code=1)
    assert "Python 2 allowed this: if the bot is written in it" in " ".join(out.split())
    (bots / "new.py").write_text(OLD.replace("/ 2", "/ 2 + f'{3}'"))
    out, _ = said(capsys, "check", "new.py", "--game", "ultimate", code=1)
    assert "Python 2" not in out


def test_a_fault_at_the_first_move_is_not_one_of_loading(bots, capsys):
    (bots / "first.py").write_text(OLD.replace("cells[len(cells) / 2]", "None"))
    out, _ = said(capsys, "check", "first.py", "--game", "ultimate", code=1)
    assert re.search(r"games? 1[, \d]*: invalid move: it returned None", out)
    assert "loads             yes" in out
    assert "loading" not in out


def test_a_converted_bot_keeps_the_rules_of_submission(bots, capsys):
    pytest.importorskip("fissix", reason="needs the extra noughts[convert]")
    (bots / "old.py").write_text(OLD.replace("cells[len(cells) / 2]", "sorted(cells)[len(cells) / 2]"))
    assert main(["convert", "old.py"]) == 0
    capsys.readouterr()
    assert "def py2_sorted" in (bots / "old_py3.py").read_text()
    out, _ = said(capsys, "check", "old_py3.py", "--game", "ultimate", "--quick")
    assert "submission rules  kept" in out
    text = (bots / "old_py3.py").read_text().replace("def py2_sorted", "import os\ndef py2_sorted")
    (bots / "old_py3.py").write_text(text)
    out, _ = said(capsys, "check", "old_py3.py", "--game", "ultimate", "--quick", code=1)
    assert "function py2_sorted is outside the class" in out


def test_a_whole_class_is_checked_in_one_table(bots, capsys):
    folder = bots / "class"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    (folder / "broken.py").write_text("class (\n")
    (folder / "evil\x1b[2J.py").write_text(GOOD.replace("Team", "Evil"))
    out, err = said(capsys, "check", "class", "--game", "ultimate", "--quick", code=1)
    assert "3 bots, each 8 moves with fast clocks" in err
    assert "1 of 3 bots pass; 1 submission without a bot" in out
    assert re.search(r"^'evil\ufffd\[2J' +a name must have up to", out, re.MULTILINE), "no team has such a name"
    assert re.search(r"^good +kept +0 +\S+ ms +\d+ +no problems found", out, re.MULTILINE), out
    assert re.search(r"^bad +2 broken", out, re.MULTILINE)
    assert "reading: " in out
    assert "\x1b" not in out
    assert main(["check", "class", "--game", "ultimate", "--quick", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert {bot["file"]: bot["passed"] for bot in facts["bots"]} == {
        "good.py": True,
        "bad.py": False,
        "broken.py": False,
        "evil\x1b[2J.py": False,
    }
    (bots / "nobody").mkdir()
    _, err = said(capsys, "check", "nobody", "--game", "ultimate", code=2)
    assert "nobody contains no bots; a bot is a file NAME.py" in err


def test_escapes_in_a_bot_do_not_reach_the_terminal(bots, capsys):
    name = "evil\x1b]0;title\x07.py"
    (bots / name).write_text(
        "class Team:\n    def move(self, b, o, f):\n        raise ValueError('\x1b[31m')  # \x1b[2J\n"
    )
    out, err = said(capsys, "check", name, "--game", "ultimate", "--quick", code=1)
    assert "raise ValueError" in out
    assert all(c.isprintable() or c == "\n" for c in out + err)
