"""What a student reads after the usual mistakes: what was wrong, and what to do."""

import pytest
from test_cli import run_command

import noughts
from noughts.bots.gate import Gate
from noughts.course.rules import submission_rules
from noughts.printable import one_line
from noughts.sandbox import BotLimits, BotSource, ForkServer

HEAD = "class Team7:\n    def __init__(self):\n        pass\n\n    def move(self, board, old_move, flag):\n"
MISTAKES = {
    "class Team7\n    pass\n": "reading: syntax error: expected ':' (line 1)",
    HEAD.replace("move(", "Move(")
    + "        pass": "loading: cannot play: class Team7 has `Move`; name the method `move`",
    "def Choose(state, clock): pass": "loading: cannot play: the file has `Choose`; name the function `choose`",
    HEAD + "        return [0, 0]": "against itself: invalid move: it returned a list; return a tuple: (0, 0)",
    HEAD + "        (0, 0)": "against itself: invalid move: it returned None: is a `return` missing?",
    "import helper\n" + HEAD + "        pass": "a bot is one file; copy the code of helper.py into it (line 1)",
    "import torch\n" + HEAD + "        pass": "bots can import most of the standard library, and numpy (line 1)",
    HEAD
    + "        board.find_valid_moves()": "has no attribute 'find_valid_moves'; did you mean 'find_valid_move_cells'?",
    HEAD + "        raise ValueError('a\\n\\tb')": "against itself: crashed: ValueError: a  b (line 6)",
}


@pytest.fixture(scope="module")
def check():
    with ForkServer() as server:
        gate = Gate(noughts.load_game("extreme"), BotLimits(5.0), rules=submission_rules())
        yield lambda text, wanted=None: gate.check(BotSource("b.py", wanted, text), server)


@pytest.mark.parametrize(("text", "reason"), MISTAKES.items(), ids=[reason[-25:] for reason in MISTAKES.values()])
def test_the_usual_mistakes_are_named(check, text, reason):
    assert reason in check(text).reason


def test_a_class_that_is_not_there_gets_a_list_of_those_that_are(check):
    reason = check(HEAD + "        return 0\n", "Nobody").reason
    assert reason.endswith(
        "there is no class Nobody with a method move(self, board, old_move, flag); the file has Team7"
    )
    reason = check("class A: pass\nclass B:\n    def choose(self, state, clock): pass\n", "Nobody").reason
    assert reason == "loading: cannot play: the file has no 'Nobody'; its classes are: A, B"


def test_no_frame_of_ours_is_in_a_students_traceback(check):
    [(_, fault), *_] = check(HEAD + "        board.find_valid_move_cells(7)\n").faults
    assert fault.line == 6
    assert fault.detail.count("File ") == 1, fault.detail


def test_the_same_mistake_is_reported_once(tmp_path, capsys):
    path = tmp_path / "b.py"
    path.write_text(HEAD + "        return [0, 0]\n")
    code, out, _ = run_command(capsys, "check", str(path), "--game", "ultimate")
    assert code == 1
    assert out.count("it returned a list") == 1
    assert "games 1, 2, 3, 4, 5: invalid move" in out
    assert "more" not in out


def test_tabs_and_ends_of_lines_are_shown_as_spaces():
    assert one_line("a\tb\nc\x1b[2J") == "a b c\N{REPLACEMENT CHARACTER}[2J"
