"""A quick check is right before it accuses, notices who takes too long, and names the line of a time-out."""

import pytest
from test_cli import run_command

import noughts
from noughts.bots.gate import Gate
from noughts.bots.wording import check_words
from noughts.sandbox import BotLimits, BotSource, ForkServer, _process

LIMITS = BotLimits(0.4)
FAST = 0.1
"""Clocks run four times as fast: who thinks until its time is up takes a tenth of a second."""
HEAD = """\
import resource, time

def used():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

def work(seconds):
    end = used() + seconds
    while used() < end:
        yield

def choose(state, clock):
    start = time.process_time()
    legal = state.legal_actions()
"""
LAST_LINE = HEAD.count("\n") + 1
BOTS = {
    "deepens": """\
    best = None
    for _ in work(0.13):
        if time.process_time() - start > 0.9 * 0.4:
            return best
    return legal[0]
""",
    "computes": """\
    list(work(0.13))
    return legal[0]
""",
    "thinks": """\
    while time.process_time() - start < 0.16: pass
    return legal[0]
""",
    "late": """\
    while time.process_time() - start < 1.2: pass
    return legal[0]
""",
    "endless": """\
    while True: pass
""",
    "crashes": """\
    return legal[99]
""",
    "crashes_second": """\
    if hasattr(choose, "asked"): raise KeyError("again")
    choose.asked = True
    return legal[0]
""",
    "loads_long": "while True: pass\n",
}


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


@pytest.fixture
def fast(monkeypatch):
    monkeypatch.setattr("noughts.bots.quick.SECONDS", FAST)


@pytest.fixture
def check(server, fast, monkeypatch):
    monkeypatch.setattr("noughts.bots.quick.most_seconds", lambda limits: 600.0)  # for all moves, on a busy machine too

    def check(name, quick=True, limits=LIMITS):
        text = HEAD + BOTS[name] if name != "loads_long" else BOTS[name] + HEAD
        return Gate(noughts.load_game("classic"), limits).check(BotSource("b.py", None, text), server, quick=quick)

    return check


def test_a_search_without_time_for_its_first_iteration_is_tried_by_the_real_clock(check):
    report = check("deepens")
    assert report.passed()
    assert report.notes[0].startswith("game 1, move 1, with fast clocks: invalid move: ")
    assert "with the real clock it passed" in report.notes[0]


def test_a_bot_that_does_not_look_at_its_clock_is_not_late_by_a_fast_one(check, monkeypatch):
    monkeypatch.setattr(_process, "OVERTIME", 10.0)  # its answer is waited for on a busy machine, too
    report = check("computes")
    assert report.passed()
    assert len(report.notes) == 1, "one such move is enough"
    assert "with fast clocks: took " in report.notes[0]
    assert "with the real clock it passed" in report.notes[0]


def test_a_bot_that_thinks_within_its_limit_needs_no_repetition(check):
    report = check("thinks")
    assert (report.passed(), report.notes) == (True, [])
    assert len(report.tally.seconds) >= 7, "one of the games may be over before"


def test_a_bot_that_thinks_longer_than_its_limit_is_found(check):
    report = check("late")
    assert (
        report.reason
        == f"against random, moving first: out of time: no answer within its limit of 0.4 s (line {LAST_LINE})"
    )
    assert report.notes == ["game 1, move 1: failed with the real clock too"]


def test_a_move_that_there_is_no_time_to_repeat_leaves_the_bot_undecided(check, monkeypatch):
    # The repetition gets a tenth of a second.
    monkeypatch.setattr("noughts.bots.quick.most_seconds", lambda limits: 0.15)
    report = check("deepens")
    assert (report.undecided, report.reason, report.passed()) == (True, "", False)
    assert "there was no time to repeat it with the real clock" in " ".join(report.notes)
    gate = Gate(noughts.load_game("classic"), LIMITS)
    assert not gate.admits(report)
    assert check_words(report, BotSource("b.py", None, ""), gate).conclusion.startswith("undecided: run the full check")


def test_a_fault_that_is_proven_is_no_undecided_bot(check):
    assert not check("crashes").undecided
    assert not check("loads_long", limits=BotLimits(0.4, load_seconds=0.3)).undecided


def test_an_endless_loop_takes_one_time_limit_in_all(check):
    report = check("endless")
    assert [fault.text for _, fault in report.faults] == [
        f"out of time: no answer within its limit of 0.4 s (line {LAST_LINE})"
    ]
    assert (len(report.games), report.notes) == (1, []), "it was waited for once"


@pytest.mark.parametrize("name", ["crashes", "crashes_second"])
def test_a_crash_is_one_by_the_real_clock_too(check, name):
    report = check(name)
    assert {fault.kind for _, fault in report.faults} == {"crash"}
    (note,) = report.notes  # one for all its games
    assert note.endswith(": failed with the real clock too")


@pytest.mark.parametrize(("name", "line"), [("endless", LAST_LINE), ("loads_long", 1)])
def test_every_time_out_names_the_line_in_games_too(check, name, line):
    report = check(name, quick=False, limits=BotLimits(0.1, load_seconds=0.3))
    assert {(fault.kind, fault.line) for _, fault in report.faults} == {("time", line)}
    assert report.reason.endswith(f"(line {line})")


def test_the_command_says_which_clock_it_was(fast, tmp_path, capsys):
    path = tmp_path / "bot.py"
    path.write_text(HEAD + BOTS["deepens"])
    code, out, err = run_command(capsys, "check", str(path), "--game", "classic", "--quick", "--time", "0.4")
    assert code == 0
    assert "about 1 s, at most 4 s" in err
    assert "with the real clock it passed" in " ".join(out.split())
    assert "no problems found" in out
