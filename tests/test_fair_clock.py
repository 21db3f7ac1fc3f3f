"""What a bot is charged: its own thinking, whoever moves; and nothing that is the machine's or the referee's doing."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict

import processes
import pytest

import noughts
from noughts.matches.game import play_seats
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotFault, BotLimits, BotSource, ForkServer, SandboxedProcess, SandboxError, _process
from noughts.sandbox import _meter as meter
from noughts.sandbox import _wire as wire
from noughts.sandbox._syscalls import NUMBERS
from noughts.sandbox.faults import BUSY_MACHINE

CLASSIC = noughts.load_game("classic")
STOPPING = 0.002
"""Seconds of processor time that the kernel may still count after it has said that a process rests."""
LIMITS = BotLimits(5.0)

# Answers through the channel itself, goes on, and only then hears the next question.
THINKS_ON = """
import itertools, json, mmap, os, signal, struct, time
def busy(seconds):
    done = time.process_time() + seconds
    while time.process_time() < done:
        pass
def choose(state, clock):
    {first}
    for number in itertools.count(2):
        body = json.dumps({{"id": number, "answer": 0}}).encode()
        os.write(3, struct.pack(">I", len(body)) + body)
        {then}
        os.read(3, 65536)
"""
# From its first question on, a timer of its own would wake it again and again.
TIMER = """
    def ring(*_): busy(0.001)
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)"""
WORKS = """
import time
def choose(state, clock):
    done = time.process_time() + {seconds}
    while time.process_time() < done:
        pass
    return state.legal_actions()[0]
"""


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def loaded(server, text, limits=LIMITS, **more):
    bot = SandboxedProcess(server, limits)
    bot.ask("load", 60, source=text, file="<b>", wanted=None, rules=asdict(CLASSIC.rules), seed=1, **more)
    return bot


def move(bot, limit, **more):
    return bot.ask("move", limit, played=[], seconds=limit, **more)


def cpu_seconds(bot):
    with open(f"/proc/{bot.pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def is_stopped(bot):
    with open(f"/proc/{bot.pid}/stat") as file:
        return file.read().rpartition(") ")[2][0] == "T"


@contextmanager
def load(factor):
    """Runs busy processes: `factor` for each processor that we may use."""
    cores = len(os.sched_getaffinity(0))
    command = [sys.executable, "-c", "while True: pass"]
    # Each in a session of its own: Linux may share processors out among sessions first, and bots have one too.
    busy = [subprocess.Popen(command, start_new_session=True) for _ in range(factor * cores)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    "then",
    [
        "busy(0.03)",
        "time.sleep(0.03)",
        "mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)",  # filled at once, in one call
    ],
)
def test_a_bot_is_at_rest_before_anybody_else_is_asked(server, then):
    with loaded(server, THINKS_ON.format(first="", then=then)) as bot:
        for _ in range(5):
            move(bot, 5)
            before = cpu_seconds(bot)
            time.sleep(0.02)
            assert cpu_seconds(bot) < before + STOPPING
        if then.startswith("busy"):
            assert bot.took >= 0.025, "what it does after its answer is its own time"  # two clocks may differ a little


def test_a_bot_that_does_not_come_to_rest_is_late(server):
    text = THINKS_ON.format(first="", then="busy(60)")
    with loaded(server, text) as bot, pytest.raises(BotFault, match="out of time"):
        move(bot, 0.2)


def test_no_timer_of_its_own_wakes_a_bot_on_the_opponents_time(server):
    with loaded(server, THINKS_ON.format(first=TIMER, then="pass")) as bot:
        for _ in range(3):
            move(bot, 60)
            assert is_stopped(bot)
            before = cpu_seconds(bot)
            time.sleep(0.1)
            assert cpu_seconds(bot) < before + STOPPING


@pytest.mark.skipif("alarm" not in NUMBERS, reason="what this machine has instead does not say that it clears")
@pytest.mark.parametrize("timer", ["signal.alarm(9); signal.alarm(0)", "signal.setitimer(signal.ITIMER_REAL, 100)"])
def test_a_bot_whose_timer_is_off_needs_no_stop(server, timer):
    text = f"import signal\ndef choose(state, clock):\n    {timer}\n    return 0"
    with loaded(server, text) as bot:
        move(bot, 5)  # may leave it on
        for _ in range(3):
            move(bot, 5)
            assert not is_stopped(bot)
            before = cpu_seconds(bot)
            time.sleep(0.03)
            assert cpu_seconds(bot) < before + STOPPING


def test_a_bot_that_was_asked_where_it_is_is_stopped(server, monkeypatch):
    # The question is a signal. If the bot handles it itself, and it comes late, it could wake the bot from its rest.
    text = "import time\ndef choose(state, clock):\n    time.sleep(2 * (len(state.history()) == 0))\n    return 0"
    with loaded(server, text) as bot:
        monkeypatch.setattr(_process, "OVERTIME", 60.0)  # on a busy machine too
        monkeypatch.setattr(meter.Meter, "settle", lambda self, limit, *, held: (0.0, 0.0))  # all of it was waiting
        move(bot, 0.05)
        assert is_stopped(bot)


def test_thinking_while_stopped_is_charged_to_the_next_move(server):
    # Half a second apart, so that it is at rest before the timer goes off the first time.
    timer = TIMER.replace("0.001", "0.5").replace("0.02, 0.02", "0.5, 2.0")
    with loaded(server, THINKS_ON.format(first=timer, then="pass")) as bot:
        move(bot, 60)
        before = cpu_seconds(bot)
        os.kill(bot.pid, signal.SIGCONT)  # what the filter does not let it do for itself
        while cpu_seconds(bot) < before + 0.4:
            time.sleep(0.01)
        with pytest.raises(BotFault, match="out of time"):
            move(bot, 0.2)


def test_a_bot_that_somebody_stopped_and_let_go_while_it_rests_plays_on(server):
    with loaded(server, WORKS.format(seconds=0)) as bot:
        for _ in range(20):
            move(bot, 5)
            os.kill(bot.pid, signal.SIGSTOP)
            os.kill(bot.pid, signal.SIGCONT)
        os.kill(bot.pid, signal.SIGSTOP)
        move(bot, 5)


def test_a_quick_answer_is_charged_its_wall_time_and_nothing_is_read(server, monkeypatch):
    with loaded(server, WORKS.format(seconds=0)) as bot:
        move(bot, 5)
        monkeypatch.setattr(meter, "QUICK", 60.0)  # on a busy machine too
        monkeypatch.setattr(meter, "QUICK_SHARE", 1.0)
        monkeypatch.setattr(_process, "BEAT", 60.0)
        monkeypatch.setattr(meter, "_schedule", lambda text: 1 / 0)
        began = time.monotonic()
        move(bot, 60)
        assert 0 < bot.took <= time.monotonic() - began


def test_a_bot_that_needs_most_of_its_limit_has_it_on_a_busy_machine(server):
    limits = BotLimits(0.4, load_seconds=60)
    works_once = WORKS.format(seconds="0.22 * (len(state.history()) == 0)")
    with load(factor=3):
        seats = [BotPlayer(BotSource("b.py", None, works_once), server, limits) for _ in range(2)]
        record = play_seats(noughts.load_game("wild"), seats)  # the third move ends it
    assert record.fault is None, record.fault
    assert 0.2 <= max(record.seconds) <= 0.4  # two clocks: one may be a little behind
    assert BUSY_MACHINE in record.warnings, "and the referee says that the machine is too busy"


def test_working_longer_than_the_limit_is_late_on_a_busy_machine_too(server):
    with load(factor=2), loaded(server, WORKS.format(seconds=0.4)) as bot, pytest.raises(BotFault, match="out of time"):
        move(bot, 0.1)


def test_a_long_wait_is_not_charged_before_it_is_over(server, monkeypatch):
    # The kernel counts a wait when it ends: until the answer nothing seems to have passed, then all of it was waiting.
    counters, settle = (0.0, 0.0), meter.Meter.settle

    def over(self, limit, *, held):
        nonlocal counters
        counters = (0.0, 3600.0)
        return settle(self, limit, held=held)

    with loaded(server, WORKS.format(seconds=0.25)) as bot:
        monkeypatch.setattr(meter, "_schedule", lambda text: counters)
        monkeypatch.setattr(meter.Meter, "settle", over)
        move(bot, 0.1)
        assert bot.took == 0


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_a_bots_clock_charges_what_the_referee_charges(server, speed):
    text = """
import time
def choose(state, clock):
    time.sleep(0.02)
    done = time.process_time() + 0.2
    while time.process_time() < done:
        pass
    print(clock.elapsed(), clock.seconds - clock.remaining())
    return 0
"""
    with load(factor=3), loaded(server, text, scaled_clocks=speed != 1) as bot:
        reply = move(bot, 60, speed=speed)
    assert bot.waited > bot.took / 2, "the machine was busy"
    for elapsed in map(float, reply["prints"][0].split()):
        assert abs(elapsed / speed - bot.took) < bot.waited / 4


def test_a_bot_that_closes_the_file_of_its_waiting_still_has_a_clock(server):
    text = f"""
import os, time
def choose(state, clock):
    os.close({wire.SCHEDULE})
    time.sleep(0.1)
    print(clock.elapsed() >= 0.1)
    return 0
"""
    with loaded(server, text) as bot:
        assert move(bot, 60)["prints"][0] == "True\n"


def test_sleeping_is_charged(server):
    sleeper = "import time\ndef choose(state, clock): time.sleep(3); return 0"
    with loaded(server, sleeper) as bot, pytest.raises(BotFault, match="out of time"):
        move(bot, 0.2)


STOPPED_REFEREE = """
import os, signal, time
from dataclasses import asdict
import noughts
from noughts.sandbox import BotFault, BotLimits, ForkServer, SandboxedProcess
text = '''
import time
def choose(state, clock):
    time.sleep(0.2)
    return 0
'''
with ForkServer() as server, SandboxedProcess(server, BotLimits(5.0)) as bot:
    rules = asdict(noughts.load_game("classic").rules)
    bot.ask("load", 60, source=text, file="<b>", wanted=None, rules=rules, seed=1)
    referee = os.getpid()
    if os.fork() == 0:
        time.sleep(0.1)
        os.kill(referee, signal.SIGSTOP)
        time.sleep(1.2)
        os.kill(referee, signal.SIGCONT)
        os._exit(0)
    try:
        bot.ask("move", 0.6, played=[], seconds=0.6)
        print("plays")
    except BotFault as error:
        print(error.fault.text)
"""


def test_a_referee_that_was_stopped_blames_nobody():
    done = processes.run_code(STOPPED_REFEREE)
    assert done.stdout == "plays\n", done.stderr


def test_what_a_stopped_referee_did_not_see_is_still_charged_if_it_was_work():
    text = STOPPED_REFEREE.replace("time.sleep(0.2)", "[0 for _ in iter(lambda: time.process_time() < 1.2, False)]")
    done = processes.run_code(text)
    assert "out of time" in done.stdout, done.stderr


def test_a_machine_that_gives_a_bot_no_processor_ends_in_an_error_and_no_verdict(server, monkeypatch):
    monkeypatch.setattr(meter, "HOPELESS_TIMES", 1)
    monkeypatch.setattr(meter, "HOPELESS_SECONDS", 0.3)
    monkeypatch.setattr(meter.Meter, "charged", lambda self: 0.0)  # all of its time was waiting
    endless = "def choose(state, clock):\n    while True: pass"
    with loaded(server, endless) as bot, pytest.raises(SandboxError, match="too busy for a fair game"):
        move(bot, 0.1)
    monkeypatch.setattr(meter, "HOPELESS_SECONDS", 1.0)  # time enough to sleep often, on a busy machine too
    monkeypatch.setattr(meter, "MANY_SLEEPS", 10)
    idle = "import time\ndef choose(state, clock):\n    while True: time.sleep(0.0001)"
    with loaded(server, idle) as bot, pytest.raises(BotFault, match="no answer"):
        move(bot, 0.1)


def test_a_bot_that_somebody_stops_goes_on_and_is_not_charged(server):
    with loaded(server, "import time\ndef choose(state, clock):\n    time.sleep(0.05)\n    return 0") as bot:
        stops = [threading.Timer(at, os.kill, (bot.pid, signal.SIGSTOP)) for at in (0.01, 0.03, 0.06, 0.09, 0.12)]
        for stop in stops:
            stop.start()
        move(bot, 5.0)
        for stop in stops:
            stop.join()
        move(bot, 5.0)


@pytest.mark.parametrize(
    ("loads", "moves", "least"), [(0.4, 0.0, 0.05), (60.0, 0.0, 0.2), (0.0, 60.0, 0.1), (0.4, 0.01, 0.06)]
)
def test_a_record_has_the_time_that_each_bot_kept_its_process_busy(server, loads, moves, least):
    """Loading counts, and so does the last question of a bot that never answered it."""
    limits = BotLimits(0.1, load_seconds=0.6)  # long, because a pause of the referee is not charged
    quick = "def choose(s, c):\n    return s.legal_actions()[-1]\n"
    sleeper = (
        quick.replace("    return", f"    time.sleep({moves})\n    return") + f"import time\ntime.sleep({loads})\n"
    )
    seats = [BotPlayer(BotSource("bot.py", None, text), server, limits) for text in (sleeper, quick)]
    record = play_seats(CLASSIC, seats)
    assert record.used[0] >= least
    assert record.used[0] >= sum(record.seconds_of(0))
    assert record.used[1] < record.used[0]
