"""The command `noughts show`: a position in the terminal, as a picture, for a script."""

import json
import os
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import noughts
from noughts.cli import main


def show(capsys, *arguments):
    code = main(["show", *arguments])
    return code, *capsys.readouterr()


class Terminal:
    """A standard output that says it is a terminal."""

    encoding = "utf-8"

    def __init__(self):
        self.shown = ""

    def isatty(self):
        return True

    def write(self, text):
        self.shown += text

    def flush(self):
        pass


def test_the_board_the_position_and_the_number_of_moves_are_printed(capsys, monkeypatch, game):
    monkeypatch.setattr("noughts.library._REGISTERED", {})
    noughts.register_game(game.rules)
    code, out, _ = show(capsys, game.name)
    start = game.new_initial_state()
    assert code == 0
    assert out.startswith(str(start))
    assert f"position  {start.to_string()}\n" in out
    assert f"moves     {len(start.legal_actions())} legal\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_moves_are_played_from_the_position(capsys):
    code, out, _ = show(capsys, "classic", "XO./.X./... p1", "--moves", "8")
    assert code == 0
    assert "position  XO./.X./..O p0\n" in out


def test_the_end_of_a_game_is_shown(capsys):
    _, out, _ = show(capsys, "classic", "--moves", "0", "3", "1", "4", "2")
    assert "outcome   line: first player wins, points 1 and -1\n" in out
    assert "moves     none" in out


def test_a_script_reads_json(capsys):
    _, out, _ = show(capsys, "wild", "--moves", "X4", "--json")
    facts = json.loads(out)
    assert facts["position"] == ".../.X./... p1"
    assert facts["player"] == 1
    assert facts["legal"][:3] == ["X0", "O0", "X1"]
    assert facts["outcome"] is None
    _, out, _ = show(capsys, "classic", "XXX/OO./... end", "--json")
    facts = json.loads(out)
    assert facts["player"] is None
    assert facts["outcome"] == {"reason": "line", "winner": 0, "points": [1, -1]}


def test_a_picture_goes_to_a_file_or_to_the_output(capsys, tmp_path):
    path = tmp_path / "a.svg"
    code, out, _ = show(capsys, "ultimate", "--moves", "4,4", "--svg", str(path), "--dark")
    state = noughts.load_game("ultimate").new_initial_state()
    state.apply_action(40)
    assert code == 0
    assert str(path) in out
    assert path.read_text(encoding="utf-8") == state.to_svg(dark=True)
    code, out, _ = show(capsys, "ultimate", "--moves", "4,4", "--svg", "-")
    assert ElementTree.fromstring(out).tag.endswith("svg")
    assert out == state.to_svg()
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.svg"]


def test_a_picture_that_cannot_be_written_leaves_the_old_one(capsys, tmp_path, monkeypatch):
    def full_disk(_descriptor):
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.svg"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full_disk)
    code, _, err = show(capsys, "classic", "--svg", str(path))
    assert code == 2
    assert "the disk is full" in err
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["chess"], "there is no game 'chess'"),
        (["classic", "XX./.../... p0"], "wrong number of marks"),
        (["classic", "--moves", "0", "0"], "move 2 of --moves: action 0 is not legal"),
        (["classic", "--moves", "x"], "move 1 of --moves: 'x' is not a move"),
        (["classic", "--dark"], "--svg FILE"),
        (["classic", "--json", "--svg", "-"], "--svg a file"),
        (["classic", "--svg", "no/such/folder/a.svg"], "does not exist"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(capsys, arguments, complaint):
    code, out, err = show(capsys, *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_a_terminal_gets_box_drawing_and_colour_unless_it_asks_not_to(monkeypatch):
    def shown(*arguments):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        main(["show", "classic", *arguments])
        return terminal.shown

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "┌" in shown()
    assert "\x1b[" in shown()
    assert "┌" not in shown("--ascii")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in shown()
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    assert shown().isascii()
