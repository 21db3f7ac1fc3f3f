"""Old bots, written for Python 2, become Python 3 and play the same moves."""

import io
import json
import random
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import noughts
from noughts.cli import main
from noughts.matches.game import play_seats
from noughts.players import make_player
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource
from py2bots.prelude import prelude, prelude_lines
from py2bots.runtime import order, randomness, values

pytest.importorskip("fissix", reason="needs the extra noughts[convert]")

from noughts.course import _conversion_worker as _worker
from noughts.course.conversion import Converter, python2_hint
from noughts.sandbox._syscalls import ARCHITECTURE
from py2bots._evidence import which_python
from py2bots._syntax import NotPython2, spaces_for_tabs
from py2bots.translate import translate

sys.path.insert(0, str(Path(__file__).parent / "python2"))
import constructs

EXAMPLES = Path(__file__).parents[1] / "examples" / "bots"
EXPECTED = json.loads(constructs.EXPECTED.read_text())
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


def converted(source):
    return translate(source, "old.py", as_python2=True)


def new(source):
    """The converted text without the functions before it."""
    text = converted(source).text
    lines = prelude_lines(text)
    return "\n".join(text.split("\n")[lines.stop :]) if lines else text


def run(source, **names):
    """What the converted lines leave in their names."""
    space = dict(names)
    exec(converted(source).text, space)
    return space


# The same moves


def test_every_construct_has_its_moves():
    assert constructs.bots().keys() == EXPECTED.keys()
    assert len(EXPECTED) >= 150


@pytest.fixture(scope="module")
def converted_moves(tmp_path_factory):
    texts = {name: converted(source).text for name, source in constructs.bots().items()}
    return constructs.moves(sys.executable, texts, tmp_path_factory.mktemp("converted"))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_converted_bot_plays_the_moves_of_python_2(name, converted_moves):
    assert converted_moves[name] == EXPECTED[name]


def test_python_2_makes_these_moves(python2, tmp_path):
    assert constructs.moves(python2, constructs.bots(), tmp_path) == EXPECTED


# What must stay as it is, what Python 3 reads by luck, and `is`, which depends on where a text comes from.
NO_DIFFERENCE = {
    *("print_tuple", "division_from_future", "next_as_attribute", "generator_does_not_leak", "exec_of_python_2"),
    *("input_names_of_ones_own", "old_style_class"),
    *(
        name
        for name in EXPECTED
        if name.startswith(("is_", "old_is_")) or name in ("old_tabs_and_an_is", "old_floor_division_and_is")
    ),
}


def test_without_conversion_the_moves_are_others(tmp_path):
    moves = constructs.moves(sys.executable, constructs.bots(), tmp_path)
    assert {name for name in EXPECTED if moves[name] == EXPECTED[name]} <= NO_DIFFERENCE


def test_an_old_bot_plays_when_converted():
    with ForkServer() as server:
        seat = BotPlayer(BotSource("old.py", None, converted(OLD_BOT).text), server, BotLimits(5.0))
        record = play_seats(noughts.load_game("ultimate"), [seat, make_player("random", seed=1)])
    assert record.fault is None, record.fault
    assert record.prints[0].startswith("thinking about (-1, -1)")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("numpy.Inf + numpy.PINF", float("inf")),
        ("numpy.NINF", -float("inf")),
        ("numpy.array([7, 9]) / 2", [3, 4]),
        ("numpy.array([7.0]) / 2", [3.5]),
        ("numpy.product([2, 3]) + numpy.alltrue([1])", 7),
        ("numpy.zeros(2, dtype=numpy.int) + numpy.ones(2, numpy.float_)", [1.0, 1.0]),
        ("numpy.asscalar(numpy.array([5]))", 5),
        ("numpy.array(map(lambda x: x * 2, [1, 2]))", [2, 4]),
        ("len(numpy.zeros(3).tostring())", 24),
        ("numpy.random.random_integers(4, 4)", 4),
        ("numpy.rank(numpy.zeros((2, 2)))", 2),
    ],
)
def test_names_that_numpy_dropped(line, value):
    numpy = pytest.importorskip("numpy")
    assert numpy.array_equal(run(f"import numpy\nx = {line}\n")["x"], value)
    assert numpy.array_equal(run(f"import numpy as np\nx = {line.replace('numpy', 'np')}\n")["x"], value)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (7.0, 2), (7, 2.0), (-7.5, 2)])
def test_division_means_what_it_meant(a, b):
    meant = a // b if isinstance(a, int) and isinstance(b, int) else a / b
    space = run("c = a / b\nd = [a, b]\ne = d[0] / d[1]\nf = a\nf /= b\ng = 3 * a / b\n", a=a, b=b)
    assert [space[name] for name in "cef"] == [meant] * 3
    assert space["g"] == (3 * a // b if isinstance(meant, int) else 3 * a / b)


@pytest.mark.parametrize("digits", [0, 1, 2, -1])
def test_round_goes_away_from_zero(digits):
    rng = random.Random(digits)
    for _ in range(200):
        x = rng.randrange(-10_000, 10_000) / 8
        rounded = values.py2_round(x, digits)
        assert isinstance(rounded, float)
        assert abs(rounded - x) <= 0.5 / 10**digits + 1e-9
    assert [values.py2_round(x) for x in (0.5, -0.5, 1.5, 0.49999999999999994)] == [1.0, -1.0, 2.0, 0.0]
    assert values.py2_round(float("inf")) == float("inf")


def test_the_order_of_all_things_is_an_order():
    things = [None, 3, 2.5, True, "a", (1,), (1, None), [1], [None], {1: 2}, {1: None}, len, range(3)]
    ordered = order.py2_sorted(things)
    assert ordered[0] is None
    for one, other in pairwise(ordered):
        assert order.py2_cmp(one, other) <= 0 <= order.py2_cmp(other, one)
        assert order.py2_le(one, other)
        assert order.py2_ge(other, one)


# How it looks


def test_certain_things_are_written_plainly():
    assert new("x = 7 / 2\n") == "x = 7 // 2\n"
    assert new("x = 7.0 / y\n") == "x = 7.0 / y\n"
    assert new("x = float(a) / len(b)\n") == "x = float(a) / len(b)\n"
    assert new("x = rows[i / 3]\n") == "x = rows[i // 3]\n"
    assert new("from __future__ import division\nx = a / b\n").endswith("x = a / b\n")
    assert "i // 4" in new("for i in range(9):\n    print i / 4\n")
    assert new("if flag is 'x':  # mine\n    y = 1\n") == "if flag == 'x':  # mine\n    y = 1\n"
    assert new("score = 0\nfor i in xrange(9):\n    score += i\nz = score > 5\n").endswith("z = score > 5\n")
    assert new("x = sorted(d.keys())\n").strip() == "x = py2_sorted(d.keys())"


def test_what_cannot_be_seen_is_decided_when_the_bot_runs():
    assert new("x = f(1) / g(2)\n").strip() == "x = py2_div(f(1), g(2))"
    assert new("if (score, row) > best :\n    pass\n").strip().startswith("if py2_gt((score, row), best) :")


def test_the_functions_before_a_bot_are_those_it_needs_and_stay_recognisable():
    text = converted("print a / b\n").text
    assert "def py2_div(" in text
    assert "py2_cmp" not in text
    lines = prelude_lines(text)
    assert text.split("\n")[lines.stop :] == ["print(py2_div(a, b))", ""]
    assert not prelude_lines(text.replace("return a // b", "return 3"))
    assert not prelude_lines("print('hello')\n")
    every = {name for room in (order, values, randomness) for name in vars(room) if name.startswith(("py2_", "Py2"))}
    compile(prelude(every), "prelude", "exec")


def test_the_beginning_of_a_file_stays_at_its_beginning():
    text = converted(
        '#!/usr/bin/python\n# -*- coding: latin-1 -*-\n"""A bot."""\nfrom __future__ import print_function\nx = a / b\n'
    )
    assert text.text.startswith(
        '#!/usr/bin/python\n# -*- coding: utf-8 -*-\n"""A bot."""\nfrom __future__ import print_function\n#'
    )


def test_notes_name_the_lines_of_the_old_file():
    source = "import random\n\ndef f((a, b), c):\n    if (a, b) > c:\n        return a < c\nrandom.seed(3)\n"
    source += "for k in {1: 2}.keys():\n    pass\n"
    notes = converted(source).notes
    assert any(note.startswith("lines 4, 5: functions py2_... compare") for note in notes)
    assert any(note.startswith("line 6: Py2Random gives the random numbers of Python 2") for note in notes)
    assert any(note.startswith("line 7: Python 2 iterated over dicts") for note in notes)
    assert any(note.startswith("line 1: `is` with a string") for note in converted("x = flag is 'x'\n").notes)


def test_tabs_are_eight_columns_as_python_2_had_them():
    assert spaces_for_tabs("if 1:\n\tif 2:\n        \tx = '\t'\n  \ty\r\n") == (
        "if 1:\n        if 2:\n                x = '\t'\n        y\n"
    )


# Which Python it is

OLD = {name: source for name, source in constructs.bots().items() if name.startswith("old_") and "style" not in name}
NEW = constructs.python3_bots()
EVEN = {
    "a quotient": "w = 1 / 2\n",
    "whole division": "x = (a // 2) // b\n",
    "tabs": "if x:\n\ty = 1\n",
    "tried": "try:\n    import Queue\nexcept ImportError:\n    import queue as Queue\n",
    "both": "import time, math\nx = time.clock() - math.inf\n",
    "an example": (EXAMPLES / "greedy_bot.py").read_text(),
}
PYTHON_2 = {
    "print": "print 'a'\n",
    "print a name": "if x:\n    print x\n",
    "print nothing": "print\n",
    "except": "try:\n    pass\nexcept KeyError, e:\n    pass\n",
    "raise": "raise ValueError, 'x'\n",
    "octal": "x = 0777\n",
    "long": "x = 10L\n",
    "backtick": "x = `3`\n",
    "clock": "import time\nx = time.clock()\n",
    "module": "import Queue\n",
    "future": "from __future__ import division\nx = 1 / 2\n",
    "two of a class": "class Node:\n    def __cmp__(self, other):\n        return 0\n",
}


def test_there_are_enough_bots_of_each_kind():
    assert len(OLD) >= 20
    assert len(NEW) >= 20


@pytest.mark.parametrize("name", [*OLD, *PYTHON_2])
def test_python_2_is_known(name):
    found = which_python({**OLD, **PYTHON_2}[name])
    assert found.version == 2, found


@pytest.mark.parametrize("name", NEW)
def test_python_3_is_known_and_left_as_it_is(name):
    done = translate(NEW[name], "new.py")
    assert (done.version, done.converted) == (3, False), done.why
    assert done.text == NEW[name]
    assert done.why.startswith("line ")


@pytest.mark.parametrize("name", EVEN)
def test_even_evidence_is_called_even(name):
    done = translate(EVEN[name], "some.py")
    assert (done.version, done.converted) == (None, False), done.why
    forced = translate(EVEN[name], "some.py", as_python2=True)
    assert (forced.version, forced.converted) == (None, True)


def test_no_construct_of_python_2_is_taken_for_python_3():
    assert {which_python(source).version for source in constructs.bots().values()} == {2, None}


def test_a_file_alone_with_even_evidence_is_left_and_the_way_is_named(tmp_path, capsys):
    for name in ("a quotient", "both"):
        (tmp_path / "some.py").write_text(EVEN[name])
        assert main(["convert", str(tmp_path / "some.py")]) == 0
        out, err = capsys.readouterr()
        assert out == ""
        assert "left, undecided" in " ".join(err.split())
        assert "pass --python2 to convert" in err.replace("\n", " ")
        assert [path.name for path in tmp_path.iterdir()] == ["some.py"]


TABS_OF_FOUR = "class Team:\n\tdef move(self, board, old_move, flag):\n        return (0, 0)\n"


def test_tabs_that_python_3_refuses_are_converted(tmp_path, capsys):
    new = "def f(x):\n        if x:\n\t    return f'{x}'\n"
    with pytest.raises(TabError):
        compile(new, "new.py", "exec")
    done = translate(new, "new.py")
    assert done.text == new.replace("\t", " " * 8)
    assert (done.version, done.converted) == (3, True)
    assert done.notes == ("only the tabs were converted, to 8 columns each; the rest is Python 3",)
    old = translate(OLD["old_tabs_beside_spaces"], "old.py")
    assert (old.version, old.converted) == (2, True)
    compile(old.text, "old.py", "exec")
    bot = tmp_path / "team.py"
    for options in ([], ["--python2"]):
        bot.write_text(TABS_OF_FOUR)
        assert main(["convert", str(bot), "--force", *options]) == 0
        compile((tmp_path / "team_py3.py").read_text(), "team_py3.py", "exec")
        assert "4 columns" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (OLD["old_tabs_beside_spaces"], "this looks like Python 2; try `noughts convert`"),
        ("def f(x):\n        if x:\n\t    return f'{x}'\n", "try `noughts convert`, which turns the tabs into spaces"),
        (EVEN["a quotient"], "Python 2 allowed this: if the bot is written in it, try `noughts convert --python2`"),
        (NEW["f_string_and_is"], ""),
    ],
)
def test_advice_after_a_crash_leads_to_a_command_that_helps(source, advice):
    assert python2_hint(source, "TabError: inconsistent use of tabs and spaces in indentation") == advice
    assert python2_hint(source, "ZeroDivisionError: division by zero") == ""


def test_python_3_with_a_mistake_is_not_converted_but_named():
    with pytest.raises(NotPython2, match=r"is Python 3 \(line 2: f-strings .*\) with an error: line 1: .*; fix"):
        translate("print 'x'\ny = f'{x}'\n", "new.py")
    with pytest.raises(NotPython2, match=r"neither Python 3 \(line 1: expected ':'\) nor Python 2: line 1"):
        translate("def f(x)\n    return x\n", "new.py")


def test_a_converted_file_is_python_3(tmp_path):
    text = converted(OLD_BOT).text
    again = translate(text, "old_py3.py")
    assert again.text == text
    assert (again.version, again.converted) == (3, False)
    assert "written by `noughts convert`" in again.why


# What is no Python, and worse


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("class (:\n", r"old\.py is not valid Python 2: line 1: .*'\(' of line 1 is never closed"),
        ("x = [1,\ny = 2\n", r"'\[' of line 1 is never closed"),
        ("x = (1]\n", r"'\(' of line 1 is closed by '\]' in line 1"),
        ("print 3 4\n", r"line 1: '4' is out of place in 'print 3 4'"),
        ("if 1:\n    x\n  y\n", r"line 3: unindent"),
        ("x = 5²\nprint x\n", "Python has no operator '²'"),
        ("x = '''abc\n", r"the quotes ''' of line 1 are never closed"),
    ],
)
def test_what_is_no_python_is_refused_with_the_reason(source, why):
    with pytest.raises(NotPython2, match=why):
        translate(source, "old.py", as_python2=True)


@pytest.mark.parametrize(
    "source",
    [
        "x = a" + ".b" * 50_000 + "\n",
        "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n",
        "x = " + "+".join(["a"] * 20_000) + "\n",
        "print " + "-" * 50_000 + "1\n",
        "x = " + "lambda:" * 3000 + "1\n",
        "".join(" " * depth + "if 1:\n" for depth in range(300)) + " " * 300 + "pass\n",
    ],
    ids=["dots", "brackets", "sum", "signs", "lambdas", "blocks"],
)
def test_hostile_text_gets_a_sentence(source):
    with Converter() as converter:
        with pytest.raises(NotPython2, match=r"cannot convert evil\.py"):
            converter.translate(source, "evil.py", as_python2=True)
        assert converter.translate("print 3\n", "good.py").text == "print(3)\n"


@pytest.mark.skipif(not ARCHITECTURE, reason="no table of system calls for this machine")
def test_a_source_is_parsed_in_a_process_that_can_open_nothing():
    with Converter() as converter:
        converter.translate("print 3\n", "good.py")
        status = Path(f"/proc/{converter._process.pid}/status").read_text()
    assert "Seccomp:\t2" in status
    assert "NoNewPrivs:\t1" in status


def test_a_conversion_that_takes_too_long_is_stopped():
    with Converter(seconds=0.01) as converter, pytest.raises(NotPython2, match=r"takes more than 0\.01 s"):
        converter.translate("print 3\n" * 20_000, "long.py")


def test_a_process_that_dies_is_not_called_slow_and_the_next_one_works():
    with Converter() as converter:
        assert converter.translate("print 3\n", "good.py").text == "print(3)\n"
        converter._process.kill()
        with pytest.raises(NotPython2, match="needs too much memory"):
            converter.translate("print 3\n", "good.py")
        assert converter.translate("print 3\n", "good.py").text == "print(3)\n"


def test_a_limit_that_the_system_does_not_have_is_no_error(monkeypatch):
    resource = pytest.importorskip("resource")

    def refuse(limit, values):
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    monkeypatch.setattr("noughts.sandbox.confine_filter", lambda: False)  # this process goes on
    monkeypatch.setattr(_worker.sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr(_worker.sys, "setrecursionlimit", lambda depth: None)
    _worker.main()


def test_a_module_of_the_current_folder_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "fissix.py").write_text("open('run', 'w')\n")
    (tmp_path / "json.py").write_text("open('run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    with Converter() as converter:
        assert converter.translate("print 3\n", "good.py").text == "print(3)\n"
    assert not (tmp_path / "run").exists()


# The command


def test_the_command_shows_the_differences_and_keeps_the_old_file(tmp_path, capsys):
    old = tmp_path / "team.py"
    old.write_text("print 'hello'\n")
    assert main(["convert", str(old)]) == 0
    assert "+print('hello')" in capsys.readouterr().out
    assert old.read_text() == "print 'hello'\n"
    assert (tmp_path / "team_py3.py").read_text() == "print('hello')\n"
    assert main(["convert", str(old)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main(["convert", str(old), "--dry-run", "-o", str(tmp_path / "other.py")]) == 0
    assert not (tmp_path / "other.py").exists()


def test_the_command_says_that_a_file_is_python_3(tmp_path, capsys):
    bot = tmp_path / "team.py"
    bot.write_text(NEW["f_string_and_is"])
    assert main(["convert", str(bot)]) == 0
    err = capsys.readouterr().err.replace("\n", " ")
    assert "left, Python 3 (line 5: f-strings are not in Python 2). If it is Python 2, pass --python2" in err
    assert [path.name for path in tmp_path.iterdir()] == ["team.py"]
    assert main(["convert", str(bot), "--python2", "--dry-run"]) == 0


def test_a_whole_class_is_converted_and_counted_truthfully(tmp_path, capsys):
    folder = tmp_path / "bots"
    folder.mkdir()
    for number in range(6):
        (folder / f"team{number}.py").write_text(OLD_BOT)
    (folder / "even.py").write_text(EVEN["a quotient"])
    (folder / "new.py").write_text(NEW["f_string_and_is"])
    (folder / "broken.py").write_text("print (\n")
    assert main(["convert", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "7 converted, 1 of them undecided; 1 left as Python 3; 1 failed" in out
    words = " ".join(out.split())
    assert "never closed" in words
    assert "converted, undecided (nothing in it is specific to one Python)" in words
    converted = ["even.py", "new.py", *[f"team{number}.py" for number in range(6)]]
    assert sorted(path.name for path in (tmp_path / "bots_py3").iterdir()) == converted
    assert (tmp_path / "bots_py3" / "even.py").read_text() == "w = 1 // 2\n"
    assert main(["convert", str(folder)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main(["convert", str(folder), "--dry-run", "--json"]) == 1
    bots = {bot["name"]: bot for bot in json.loads(capsys.readouterr().out)["bots"]}
    assert len(bots) == 9
    assert (bots["even"]["converted"], bots["even"]["version"]) == (True, None)
    assert (bots["new"]["converted"], bots["new"]["version"]) == (False, 3)
    assert main(["convert", str(tmp_path / "bots_py3"), "-o", str(tmp_path / "x")]) == 0


def test_a_class_shows_what_to_check_in_each_copy(tmp_path, capsys):
    (tmp_path / "ants.py").write_text("print 'a'\nx = flag is 'x'\n")
    (tmp_path / "bees.py").write_text("print 'b'\n")
    assert main(["convert", str(tmp_path), "--dry-run"]) == 0
    words = " ".join(capsys.readouterr().err.split())
    assert "ants: please check: line 2: `is` with a string" in words
    assert "bees" not in words


def test_in_a_class_of_python_3_even_evidence_is_left(tmp_path, capsys):
    (tmp_path / "even.py").write_text(EVEN["a quotient"])
    (tmp_path / "new.py").write_text(NEW["f_string_and_is"])
    (tmp_path / "old.py").write_text(OLD_BOT)
    assert main(["convert", str(tmp_path), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "1 converted; 1 left as Python 3; 1 left, undecided" in out
    assert "pass --python2 to convert" in out


def test_escapes_in_a_source_do_not_reach_the_terminal(tmp_path, capsys):
    old = tmp_path / "evil\x1b[2Jname.py"
    old.write_text("print '\x1b[31mred\x9b\u202e'\nx = a / b  # \x1b]0;title\x07\n")
    assert main(["convert", str(old)]) == 0
    out, err = capsys.readouterr()
    for said in (out, err):
        assert all(c.isprintable() or c in "\n\t" for c in said)
    old.write_text("print '\x1b[31m' (((\n")
    assert main(["convert", str(old), "--force"]) == 2
    assert "\x1b" not in capsys.readouterr().err
