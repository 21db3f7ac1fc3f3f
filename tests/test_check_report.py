"""What `check` finds: in any file that a bot can be, and never more than the bot did."""

import pytest

import noughts
from noughts.bots.check import check_bot
from noughts.sandbox import BotLimits, BotSource, ForkServer, notices

LIMITS = BotLimits(10.0)
COURSE = """
class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
"""
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
    return check_bot(BotSource("bot.py", None, text), noughts.load_game(game), server, limits)


@pytest.mark.parametrize("statements", [800, 20_000])
def test_a_long_file_is_checked_like_a_short_one(server, statements):
    tables = "".join(f"TABLE_{n} = [{n}, {n} + 1, {n} + 2, {n} + 3, {n} + 4, {n} + 5]\n" for n in range(statements))
    report = check(server, tables + COURSE)
    assert report.faults == []
    assert report.breaches[0] == (1, "this is outside the class: TABLE_0 = [0, 0 + 1, 0 + 2, 0 + 3, 0 + 4, 0 + 5]")
    counted = sum("more statements" not in text for _, text in report.breaches)
    assert counted > 300
    if counted < statements:
        line, text = report.breaches[-1]
        assert (line, text.split(", ")[1].split()[0]) == (counted + 1, str(statements - counted))


def test_nobody_is_accused_on_what_could_not_be_read(server, monkeypatch):
    def refused(pid, address):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(notices, "_memory", refused)
    text = LOOKS + COURSE.replace("        return", "        look()\n        return")
    assert check(server, text).faults == []
    writes = COURSE.replace("        return", "        open('/tmp/x', 'w')\n        return")
    [(_, fault), *_] = check(server, writes).faults
    assert fault.text == "forbidden: it tried to write to a file"
