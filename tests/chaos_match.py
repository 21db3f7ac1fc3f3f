"""Disturb a running match at random moments: kill -9, SIGSTOP, a full disk, no descriptors left, jumps of the clock.

Whatever happens, nothing is lost (games that were kept are whole, and the same as in an undisturbed match), nothing is
left running, nobody is blamed (the bots are honest, so every fault is a wrong one), and errors are sentences.

python tests/chaos_match.py [MATCHES] [SEED]
"""

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from kill_tournament import family, still_there

import noughts
from noughts.matches.replays import load
from noughts.matches.runner import match_games
from noughts.matches.schedule import Match
from noughts.matches.store import open_store
from noughts.sandbox import BotLimits

BOT = """
import random, time
def choose(state, clock):
    time.sleep(0.01)
    return random.choice(state.legal_actions())
"""
GAMES = 20
MOVE_SECONDS = 0.5
LONGEST_STOP = 1.5
"""Seconds: three times what a bot has for a move."""

# The wall clock of every process of ours jumps by years at every look; what counts time must not look at it.
JUMPING = """
import random, sys, time
jump = random.Random(7)
time.time = lambda: jump.uniform(0, 4e9)
time.time_ns = lambda: int(time.time() * 1e9)
from noughts.cli import main
sys.exit(main(sys.argv[1:]))
"""


def start(folder, name, games, jobs, *, jumping=False):
    """A match of two honest bots, its games kept in the folder `name`."""
    words = f"match {folder}/one.py {folder}/two.py --game classic --games {games} --seed 5 --time {MOVE_SECONDS}"
    words += f" --jobs {jobs} --log {folder}/{name}"
    program = ["-c", JUMPING] if jumping else ["-m", "noughts.cli"]
    command = [sys.executable, *program, *words.split()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # it says little


def kept(folder, name):
    """The kept games by number: who played, the moves, the result, the fault. Each file must be whole."""
    records = [load(path) for path in sorted((folder / name).glob("game-*.json"))]
    return {each.number: (each.players, each.moves, each.reason, each.winner, each.fault) for each in records}


# Disturbances: each does something to a process, and gives what undoes it.


def kill(pid, choose):
    os.kill(pid, signal.SIGKILL)
    return lambda: None


def stop(pid, choose):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(choose.uniform(0.05, LONGEST_STOP))
    return lambda: os.kill(pid, signal.SIGCONT)


def fill_disk(pid, choose):
    """No file may grow beyond a few bytes, as on a full disk."""
    return _limited(pid, resource.RLIMIT_FSIZE, choose.randrange(2000), choose)


def take_descriptors(pid, choose):
    """There is room for a few more descriptors, or for none."""
    return _limited(pid, resource.RLIMIT_NOFILE, len(os.listdir(f"/proc/{pid}/fd")) + choose.randrange(6), choose)


def _limited(pid, what, limit, choose):
    before = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (limit, before[1]))
    time.sleep(choose.uniform(0.05, LONGEST_STOP))
    return lambda: resource.prlimit(pid, what, before)


KINDS = [kill, stop, fill_disk, take_descriptors]


def disturb(process, kind, choose):
    """One disturbance of any process of the match, or for the disk of the one that writes; what it hit."""
    below = family(process.pid)
    victims = [process.pid] if kind is fill_disk else [process.pid, *(pid for pid, _ in below)]
    victim = choose.choice(victims)
    with suppress(ProcessLookupError, PermissionError):  # it ended, or is a bot, whose limits nobody can change
        kind(victim, choose)()
    return "match" if victim == process.pid else "other"


def disturbed(folder, name, kinds, choose, games, jobs, *, jumping):
    """A match with these disturbances; its exit status, what it said, what was hit, and all processes there were."""
    process, hits, seen = start(folder, name, games, jobs, jumping=jumping), Counter(), set()
    while not list((folder / name).glob("game-*.json")) and process.poll() is None:
        time.sleep(0.02)
    for kind in kinds:
        time.sleep(choose.uniform(0, 0.4))
        seen.update(family(process.pid))
        if process.poll() is not None:
            break
        hits[kind.__name__, disturb(process, kind, choose)] += 1
    while process.poll() is None:
        seen.update(family(process.pid))
        time.sleep(0.1)
    return process.returncode, process.communicate()[0], hits, seen


def prepare(folder, games):
    """Write the bots, and play an undisturbed match in this process; its games."""
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(BOT)
    names = (f"{folder}/one.py", f"{folder}/two.py")
    match = Match(noughts.load_game("classic"), names, games, BotLimits(MOVE_SECONDS), seed=5)
    for _ in match_games(match, open_store(folder / "calm")):
        pass
    return kept(folder, "calm")


def check(folder, name, calm, outcome):
    """AssertionError if something was lost, somebody blamed, something left, or a traceback shown."""
    code, said, _, seen = outcome
    assert "Traceback" not in said, said
    assert code in (0, 2, -signal.SIGKILL), (code, said)
    games = kept(folder, name)
    for number, game in games.items():
        assert game == calm[number], f"game {number} differs: {game} and {calm[number]}"
    if code == 0:
        assert len(games) == len(calm), said
    until = time.monotonic() + 60
    while (left := still_there(seen)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left, f"processes are left: {left}"
    return len(games)


def main(matches, seed):
    choose, hits, ends, games = random.Random(seed), Counter(), Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calm = prepare(folder, GAMES)
        for number in range(matches):
            jobs = choose.choice((1, 2))
            kinds = choose.choices(KINDS, k=choose.randint(1, 4))
            called = f"match{number}"
            outcome = disturbed(folder, called, kinds, choose, GAMES, jobs, jumping=choose.random() < 0.3)
            games += check(folder, called, calm, outcome)
            hits.update(outcome[2])
            ends[outcome[0]] += 1
    for (kind, whom), count in sorted(hits.items()):
        print(f"{kind:<18}{whom:<8}{count:>5}")
    print(f"{matches} matches, seed {seed}: {ends[0]} to their end, {ends[2]} ended with a sentence, {ends[-9]} killed")
    print(f"{games} games kept, each whole and as undisturbed; nobody blamed; no process left")


if __name__ == "__main__":
    main(*(int(word) for word in [*sys.argv[1:], *["30", "1"][len(sys.argv) - 1 :]]))
