"""The processes of a match on several cores: they are gone when nobody waits for their games any more."""

import multiprocessing
import signal
import subprocess
import sys
import time

import pytest
from conftest import needs_two_cores

import noughts
from noughts.matches.runner import play_match
from noughts.matches.schedule import Match
from noughts.sandbox import BotLimits

pytestmark = needs_two_cores

SLEEPS_AS_SECOND = """
import time
def choose(state, clock):
    if len(state.history()) % 2:
        time.sleep(100)
    return state.legal_actions()[0]
"""
PLAYS_AND_NAMES_ITS_PROCESSES = """
import multiprocessing, sys
import noughts
from noughts.sandbox import BotLimits
from noughts.matches.runner import play_match
from noughts.matches.schedule import Match
match = Match(noughts.load_game("classic"), (sys.argv[1], "random"), 2, BotLimits(200.0), jobs=2)
games = play_match(match)
next(games)
print(*(child.pid for child in multiprocessing.active_children()), flush=True)
next(games)
"""


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


def test_a_match_that_is_closed_does_not_wait_for_its_games(sleeper):
    match = Match(noughts.load_game("classic"), (sleeper, "random"), 2, BotLimits(200.0), jobs=2)
    games = play_match(match)
    assert next(games).players == ("sleeper", "random")
    children = multiprocessing.active_children()
    assert len(children) == 2
    games.close()
    assert all(child.exitcode != 0 for child in children)  # 0 would be the end of a game that was waited for
    assert not any(child.is_alive() for child in children)


def test_nobody_plays_on_when_the_program_is_gone(sleeper):
    command = [sys.executable, "-c", PLAYS_AND_NAMES_ITS_PROCESSES, sleeper]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        players = list(map(int, program.stdout.readline().split()))
        program.send_signal(signal.SIGKILL)
    assert len(players) == 2
    patience = time.monotonic() + 30
    while any(map(alive, players)) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not any(map(alive, players))
