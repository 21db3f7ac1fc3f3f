"""The processes of a match on several cores: they are gone when nobody waits for their games any more."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread

import processes
import pytest
from conftest import needs_two_cores

import noughts
from noughts.matches.pool import play_in_processes
from noughts.matches.replays import from_json, to_json
from noughts.matches.runner import Run, match_conditions, match_games
from noughts.matches.schedule import Match, Pairing
from noughts.matches.store import Store, open_store
from noughts.sandbox import BotLimits, ForkServer

pytestmark = needs_two_cores

SLEEPS_AS_SECOND = """
import time
def choose(state, clock):
    if len(state.history()) % 2:
        time.sleep(100)
    return state.legal_actions()[0]
"""
PLAYS_ON = """
import sys
import noughts
from noughts.sandbox import BotLimits
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
match = Match(noughts.load_game("classic"), (sys.argv[1], "random"), 2, BotLimits(200.0), jobs=2)
games = match_games(match)
next(games)
print(flush=True)
next(games)
"""


@pytest.fixture
def new_interpreters(monkeypatch):
    """As for users, where it matters how processes begin and end."""
    processes.start_slowly(monkeypatch)


@pytest.fixture
def sleeper(tmp_path):
    """A bot that answers at once in the first game of a match, and not before 100 s in the second."""
    path = tmp_path / "sleeper.py"
    path.write_text(SLEEPS_AS_SECOND)
    return str(path)


def alive(process):
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(process):
    """The workers that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent == process and b"noughts.workers" in stat.with_name("cmdline").read_bytes().split(b"\0"):
                found.append(int(stat.parent.name))
    return found


def descendants(process):
    """All processes below this one."""
    below = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
            below.setdefault(int(rest.rpartition(")")[2].split()[1]), []).append(int(pid))
        except (FileNotFoundError, ProcessLookupError):
            continue
    found, waiting = [], [process]
    while waiting:
        waiting += (children := below.get(waiting.pop(), []))
        found += children
    return found


def test_a_match_that_is_closed_does_not_wait_for_its_games(sleeper, new_interpreters):
    match = Match(noughts.load_game("classic"), (sleeper, "random"), 2, BotLimits(200.0), jobs=2)
    games = match_games(match)
    assert next(games).players == ("sleeper", "random")
    players = children(os.getpid())
    assert len(players) == 2
    games.close()
    assert not any(map(alive, players))


def test_nobody_plays_on_when_the_program_is_gone(sleeper):
    command = [sys.executable, "-c", PLAYS_ON, sleeper]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        program.stdout.readline()
        players = children(program.pid)
        program.send_signal(signal.SIGKILL)
    assert len(players) == 2
    patience = time.monotonic() + 600
    while any(map(alive, players)) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not any(map(alive, players))


SLOW = """
import random, time
def choose(state, clock):
    time.sleep(0.02)
    return random.choice(state.legal_actions())
"""
CLASSIC = noughts.load_game("classic")


@pytest.fixture
def slow(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    return str(path)


def test_a_game_is_played_again_if_any_of_its_processes_is_killed(slow, new_interpreters):
    match = Match(CLASSIC, (slow, slow), 8, BotLimits(10.0))
    calm = {record.number: record.moves for record in match_games(match)}
    disturbed = {}
    for record in match_games(replace(match, jobs=2)):
        disturbed[record.number] = record.moves
        assert record.fault is None
        if len(disturbed) in (1, 3, 5):
            player = children(os.getpid())[0]
            server = next(iter(descendants(player)), player)
            bot = next(iter(descendants(server)), server)
            os.kill({1: player, 3: server, 5: bot}[len(disturbed)], signal.SIGKILL)
    assert disturbed == calm


def test_a_game_that_always_breaks_off_ends_the_run_with_a_sentence(sleeper, new_interpreters):
    match = Match(CLASSIC, ("random", sleeper), 2, BotLimits(200.0), jobs=2)
    over = Event()

    def kill_players():
        while not over.wait(0.05):
            for player in children(os.getpid()):
                with suppress(ProcessLookupError):
                    os.kill(player, signal.SIGKILL)

    killer = Thread(target=kill_players)
    killer.start()
    try:
        with pytest.raises(ValueError, match="in the middle of the same game"):
            list(match_games(match))
    finally:
        over.set()
        killer.join()


@pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")
@pytest.mark.parametrize("gone", [False, True])
def test_processes_use_twins_of_a_fork_server_and_start_their_own_if_it_is_gone(tmp_path, gone):
    bot = tmp_path / "chance.py"
    bot.write_text("import random\ndef choose(state, clock): return random.choice(state.legal_actions())\n")
    match = Match(CLASSIC, (str(bot), "random"), 6, BotLimits(200.0), seed=1)
    alone = {record.number: record.moves for record in match_games(match)}
    with ForkServer() as server:
        if gone:
            os.kill(server._process.pid, signal.SIGKILL)
            server._process.wait()
        shared = {record.number: record.moves for record in match_games(replace(match, jobs=2), server=server)}
    assert shared == alone


@pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")
def test_a_fork_server_keeps_no_processes_of_twins_that_have_ended():
    with ForkServer() as server:
        for _ in range(10):
            ForkServer(server.twin().detach()).close()
        until = time.monotonic() + 20
        while len(descendants(server._process.pid)) > 5 and time.monotonic() < until:
            ForkServer(server.twin().detach()).close()
            time.sleep(0.05)
        assert len(descendants(server._process.pid)) <= 5


@pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")
def test_bots_have_the_priority_of_the_process_that_plays(tmp_path):
    bot = tmp_path / "first.py"
    bot.write_text("def choose(state, clock): return state.legal_actions()[0]\n")
    match = Match(CLASSIC, (str(bot), "random"), 2, BotLimits(200.0), seed=1)
    with ForkServer() as server:
        forked = []
        run = Run(match, Store(), match_conditions(match))
        played = run.play(
            server=server,
            executor=partial(play_in_processes, jobs=1, niceness=5),
            watch=lambda _: forked.extend(descendants(server._process.pid)),
        )
        assert len(list(played)) == 2
        assert not forked


class TwoStages:
    """Two pairs of games, the second of which is known when the first has ended."""

    def batches(self, store):
        yield tuple(Pairing(number, 0, order, (), number) for number, order in enumerate([(0, 1), (1, 0)]))
        while len(store.records()) < 2:
            yield None
        self.seen = [record.winner for record in store.records()]
        yield tuple(Pairing(number, 1, order, (), number) for number, order in enumerate([(0, 1), (1, 0)], 2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_schedule_may_wait_for_results_and_a_pair_is_played_by_one_process(jobs):
    conditions = match_conditions(Match(CLASSIC, ("random", "random")))
    store = open_store()
    for record in Run(TwoStages(), store, conditions).play(executor=partial(play_in_processes, jobs=jobs)):
        assert record.machine.name
        assert record.speed > 0
    assert [record.number for record in store.records()] == [0, 1, 2, 3]
    kept = [from_json(to_json(record)) for record in store.records()]
    assert [(record.machine, record.speed) for record in kept] == [
        (record.machine, record.speed) for record in store.records()
    ]
