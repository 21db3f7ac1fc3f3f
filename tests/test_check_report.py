"""What `check` finds: in any file that a bot can be, and never more than the bot did."""

import pytest

import noughts
from noughts.bots.gate import Finding, Gate
from noughts.cli import main
from noughts.course.rules import submission_rules
from noughts.sandbox import BotLimits, BotSource, ForkServer
from noughts.sandbox import _notices as notices

LIMITS = BotLimits(10.0)
COURSE = """
class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
"""
MOVE_ASKED = "move is called as move(self, board, old_move, flag); this signature does not fit"
LOOKS = """
import traceback
def look():
    try:
        exec('x = =')
    except SyntaxError:
        traceback.print_exc()
    try:
        open('/usr/share/zoneinfo/UTC')
    except OSError:
        pass
"""


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def check(server, text, game="ultimate", limits=LIMITS):
    gate = Gate(noughts.load_game(game), limits, rules=submission_rules())
    return gate.check(BotSource("bot.py", None, text), server)


@pytest.mark.parametrize("statements", [800, 4_000])
def test_a_long_file_is_checked_like_a_short_one(server, statements):
    tables = "".join(f"TABLE_{n} = [{n}, {n} + 1, {n} + 2, {n} + 3, {n} + 4, {n} + 5]\n" for n in range(statements))
    report = check(server, tables + COURSE)
    assert report.faults == []
    first = "TABLE_0 = [0, 0 + 1, 0 + 2, 0 + 3, 0 + 4, 0 + 5] is outside the class"
    assert report.breaches[0] == Finding(first, 1)
    counted = sum("more top-level statements" not in found.text for found in report.breaches)
    assert counted > 300
    if counted < statements:
        line, text = report.breaches[-1].line, report.breaches[-1].text
        assert (line, text.split(", ")[1].split()[0]) == (counted + 1, str(statements - counted))


def test_nobody_is_accused_on_what_could_not_be_read(server, monkeypatch):
    def refused(pid, address):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(notices, "_memory", refused)
    text = LOOKS + COURSE.replace("        return", "        look()\n        return")
    assert check(server, text).faults == []
    writes = COURSE.replace("        return", "        open('/tmp/x', 'w')\n        return")
    [(_, fault), *_] = check(server, writes).faults
    assert fault.text == "forbidden: it tried to write to a file (line 4)"


ENDS = {
    "crash": "return 1 / 0",
    "invalid": "return None",
    "tamper": "board.board_status[0][0] = 'x'\n        return (0, 0)",
    "time": "while True: pass",
    "forbidden": "__import__('os').fork()",
    "memory": "bytearray(1 << 50)",
}


@pytest.mark.parametrize(("kind", "end"), ENDS.items())
def test_a_fault_at_the_first_move_is_no_fault_at_loading(server, kind, end):
    text = COURSE.replace("return board.find_valid_move_cells(old_move)[0]", end)
    report = check(server, text, limits=BotLimits(0.1 if kind == "time" else 10, load_seconds=60))
    assert report.fault is None
    assert [(number, fault.kind) for number, fault in report.faults] == [(n, kind) for n in (1, 2, 3, 4, 5)]


@pytest.mark.parametrize("kind", ["crash", "time", "forbidden", "memory"])
def test_a_fault_at_loading_is_reported_as_one(server, kind):
    limits = BotLimits(5, load_seconds=0.3 if kind == "time" else 10)
    report = check(server, ENDS[kind].removeprefix("return ") + COURSE, limits=limits)
    assert report.fault.kind == kind
    assert report.faults == [(0, report.fault)]


def test_a_student_reads_where_it_happened(tmp_path, capsys):
    path = tmp_path / "bot.py"
    for text, words in {
        "def choose(state, clock): return 1 / 0": ("do not apply", "yes, in ", "games 1, 2, 3, 4, 5: crashed"),
        "1 / 0": ("do not apply", "loads             no", "loading: crashed"),
        "import time; time.sleep(9)": (
            "do not apply",
            "loads             no",
            "loading: out of time: it was not loaded",
        ),
        "def choose(: pass": ("rules not checked", "loads             no", "line 1: "),
    }.items():
        path.write_text(text)
        assert main(["check", str(path), "--game", "classic", "--load-time", "0.5" if "sleep" in text else "30"]) == 1
        out = " ".join(capsys.readouterr().out.split())
        assert all(" ".join(word.split()) in out for word in words), out


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("move(self, board, old_move, flag)", False),
        ("move(self, *args)", False),
        ("move(self, board, old_move, flag, depth=3)", False),
        ("move(self, board, old_move: tuple[int, int], flag: str) -> tuple[int, int]", False),
        ("move(self, board, old_move)", True),
        ("move(self, board, old_move, flag, depth)", True),
        ("move(board, old_move, flag)", True),
    ],
)
def test_a_move_that_the_evaluator_cannot_call_breaks_the_rules(server, written, wrong):
    report = check(
        server, f"class Bot:\n    def __init__(self):\n        pass\n\n    def {written}:\n        return (0, 0)\n"
    )
    assert report.breaches == [Finding(MOVE_ASKED, 5)] * wrong


def test_a_class_inside_the_bot_may_have_any_init(server):
    inner = """
class Bot:
    class Node:
        def __init__(self, parent):
            pass
    def __init__(self):
        pass
"""
    assert check(server, inner + COURSE.split(":\n", 1)[1]).breaches == []


def test_what_the_course_asks_for_besides_is_remarked(server):
    source = BotSource("team7.py", None, COURSE)
    report = Gate(noughts.load_game("ultimate"), LIMITS, rules=submission_rules()).check(source, server)
    assert report.passed()
    assert [remark.text for remark in report.remarks] == [
        "the file is team7.py and its class Bot: the course names the class after its team",
        "class Bot has no __init__(self), which the course requires",
    ]


@pytest.mark.parametrize("quick", [[], ["--quick"]])
def test_a_bot_without_a_valid_move_has_no_time_for_a_move(tmp_path, capsys, quick):
    path = tmp_path / "bot.py"
    path.write_text("def choose(state, clock):\n    return 'a'\n")
    assert main(["check", str(path), "--game", "classic", *quick]) == 1
    assert "time for a move   not measured: no move was valid and in time" in capsys.readouterr().out
    assert main(["check", str(tmp_path), "--game", "classic", *quick]) == 1
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("bot "))
    assert " ms " not in row
