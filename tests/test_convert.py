"""Old bots, written for Python 2, become Python 3 and mean the same."""

import random

import pytest

import noughts
from noughts.cli import main
from noughts.matches.game import PlayerSeat, play_game
from noughts.players import make_player
from noughts.sandbox import BotLimits
from noughts.sandbox.bot import BotSeat
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

pytest.importorskip("fissix", reason="needs the extra noughts[convert]")

from noughts.bots.python2.translate import NotPython2, spaces_for_tabs, translate

OLD_BOT = """
import Queue, sys

class Team:
\tdef __init__(self):
\t\tself.seen = {}

\tdef value(self, (row, col)):
\t\treturn 3 - abs(row/3 - 1) - abs(col/3 - 1)

\tdef move(self, board, old_move, flag):
\t\tprint "thinking about", `old_move`
\t\tcells = board.find_valid_move_cells(old_move)
\t\tcells.sort(lambda a, b: cmp(self.value(b), self.value(a)) or cmp(a, b))
\t\tif self.seen.has_key(old_move) and flag <> 'x':
\t\t\tpass
\t\tself.seen[old_move] = len(self.seen)
\t\ttry:
\t\t\tmiddle = cells[len(cells) / 2]
\t\texcept IndexError, error:
\t\t\tprint >>sys.stderr, error
\t\tfor i in xrange(3):
\t\t\tassert sum(map(lambda x: x, range(i))) >= 0
\t\treturn cells[0]
"""


def new(source):
    return translate(source, "old.py").text


def run(source, **names):
    """What the converted lines leave in their names."""
    space = dict(names)
    exec(new(source), space)
    return space


def test_an_old_bot_plays_when_converted():
    text = new(OLD_BOT.replace("cmp(self.value(b), self.value(a)) or cmp(a, b)", "cmp(a, b)"))
    with ForkServer() as server:
        seat = BotSeat(BotSource("old.py", None, text), server, BotLimits(5.0))
        record = play_game(noughts.load_game("ultimate"), [seat, PlayerSeat(make_player("random", seed=1), None)])
    assert record.fault is None, record.fault
    assert record.prints[0].startswith("thinking about (-1, -1)")


def test_what_cannot_be_converted_is_named_by_line():
    notes = translate(OLD_BOT, "old.py").notes
    assert any(note.startswith("line 14:") and "cmp" in note for note in notes)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (7.0, 2), (7, 2.0), (-7.5, 2)])
def test_division_means_what_it_meant(a, b):
    meant = a // b if isinstance(a, int) and isinstance(b, int) else a / b
    space = run("c = a / b\nd = [a, b]\ne = d[0] / d[1]\nf = a\nf /= b\ng = 3 * a / b\n", a=a, b=b)
    assert [space[name] for name in "cef"] == [meant] * 3
    assert space["g"] == (3 * a // b if isinstance(meant, int) else 3 * a / b)


def test_certain_divisions_are_written_plainly():
    assert new("x = 7 / 2\n") == "x = 7 // 2\n"
    assert new("x = 7.0 / y\n") == "x = 7.0 / y\n"
    assert new("x = float(a) / len(b)\n") == "x = float(a) / len(b)\n"
    assert new("x = rows[i / 3]\n") == "x = rows[i // 3]\n"
    assert "i // 4" in new("for i in range(9):\n    print i / 4\n")
    assert new("from __future__ import division\nx = a / b\n").endswith("x = a / b\n")


def test_a_division_that_only_its_author_understands_is_left_and_named():
    done = translate("x = f(1) / g(2)\n", "old.py")
    assert "f(1) / g(2)" in done.text
    assert done.notes == ("line 1: 'f(1) / g(2)': write // if these are integers",)


def test_sorting_by_comparison():
    rows = [(random.Random(i).random(), i) for i in range(20)]
    space = run(
        "def f(a, b):\n    return cmp(b, a)\n"
        "one = sorted(rows, f)\ntwo = sorted(rows, cmp=f)\n"
        "three = rows[:]\nthree.sort(f)\nfour = rows[:]\nfour.sort(cmp=f, reverse=True)\nfive = rows[:]\nfive.sort()\n",
        rows=rows,
    )
    assert space["one"] == space["two"] == space["three"] == sorted(rows, reverse=True)
    assert space["four"] == space["five"] == sorted(rows)


def test_tabs_are_eight_columns_as_python_2_had_them():
    assert spaces_for_tabs("if 1:\n\tif 2:\n        \tx = '\t'\n  \ty\r\n") == (
        "if 1:\n        if 2:\n                x = '\t'\n        y\n"
    )


def test_what_is_no_python_is_refused():
    with pytest.raises(NotPython2, match=r"old\.py is not Python 2"):
        translate("class (:\n", "old.py")


def test_the_command_shows_the_differences_and_keeps_the_old_file(tmp_path, capsys):
    old = tmp_path / "team.py"
    old.write_text("print 'hello'\n")
    assert main(["convert", str(old)]) == 0
    assert "+print('hello')" in capsys.readouterr().out
    assert old.read_text() == "print 'hello'\n"
    assert (tmp_path / "team_py3.py").read_text() == "print('hello')\n"
    assert main(["convert", str(old)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["convert", str(old), "--dry-run", "-o", str(tmp_path / "other.py")]) == 0
    assert not (tmp_path / "other.py").exists()
