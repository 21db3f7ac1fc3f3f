"""Kill a running tournament at random moments, any process of it, and compare what it came to with an undisturbed one.

python tests/kill_tournament.py [KILLS] [SEED]
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import processes
from tournament_play import played_games

from noughts.matches.store_file import StoreError
from noughts.tournaments.store import TournamentFile

SLOW_BOT = """
import random, time
def choose(state, clock):
    time.sleep({seconds})
    return random.choice(state.legal_actions())
"""
BOTS, SECONDS, ROUNDS = 3, 0.02, 2
PATIENCE = 1200.0


def make_bots(folder, bots=BOTS, seconds=SECONDS):
    folder.mkdir()
    for number in range(bots):
        (folder / f"team{number}.py").write_text(SLOW_BOT.format(seconds=seconds))
    return folder


def words(bots, file, rounds=ROUNDS, jobs=2):
    return f"tournament run {bots} --file {file} --game classic --seed 5 --rounds {rounds} --jobs {jobs}".split()


def start(*which, **options):
    command = [sys.executable, "-m", "noughts.cli", *words(*which, **options)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def family(process):
    """This process and all below it: (pid, when it started), which no other process ever has."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = rest.rpartition(")")[2].split()
        if fields[0] != "Z":
            parents.setdefault(int(fields[1]), []).append((int(pid), fields[19]))
    found, waiting = [], [process]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += [pid for pid, _ in children]
    return found


def still_there(known):
    """Those of these processes that have not ended."""
    left = []
    for pid, started in known:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] != "Z" and fields[19] == started:
            left.append(pid)
    return left


def wait_a_while(process, file, choose):
    """Until some games more are finished; now and then for a time that has nothing to do with them."""
    if choose.random() < 0.3:
        time.sleep(choose.uniform(0.05, 5))
        return
    wanted = count(file) + choose.randint(1, 3)
    while count(file) < wanted and process.poll() is None:
        time.sleep(0.02)
    time.sleep(choose.uniform(0, 0.2))


def count(file):
    """How many games are in the file, the gate's included."""
    try:
        with TournamentFile(file) as opened:
            return opened.rows("SELECT count(*) FROM game")[0][0]
    except StoreError:  # not there yet
        return 0


def killed_run(bots, file, kills, choose, **options):
    """Play to the end, killing so often; how often which kind of process was hit, and all processes there were."""
    hits, seen = {"writer": 0, "other": 0}, set()
    process = start(bots, file, **options)
    until = time.monotonic() + PATIENCE
    while sum(hits.values()) < kills:
        assert time.monotonic() < until
        wait_a_while(process, file, choose)
        below = family(process.pid)
        seen.update(below)
        if process.poll() is not None:  # it gave up, or there was nothing left to do
            process.communicate()
            if process.returncode == 0:
                return hits, seen
        else:
            victim = choose.choice([process.pid, *(pid for pid, _ in below)])
            hits["writer" if victim == process.pid else "other"] += 1
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            if victim != process.pid:
                continue
            process.communicate()
        process = start(bots, file, **options)
    while True:
        seen.update(family(process.pid))
        try:
            _, said = process.communicate(timeout=1.0)
        except subprocess.TimeoutExpired:
            assert time.monotonic() < until + PATIENCE
            continue
        if process.returncode == 0:
            return hits, seen
        assert "Traceback" not in said, said
        process = start(bots, file, **options)


def games_in(file):
    with TournamentFile(file) as opened:
        return played_games(opened.tournament())


def compare(folder, kills, seed, **options):
    """Both tournaments; AssertionError if they differ or a process is left."""
    bots = make_bots(folder / "bots")
    calm = processes.run(*words(bots, folder / "calm.noughts", **options), timeout=PATIENCE)
    assert calm.returncode == 0, calm.stderr
    hits, seen = killed_run(bots, folder / "killed.noughts", kills, random.Random(seed), **options)
    left = still_there(seen)
    until = time.monotonic() + 60
    while left and time.monotonic() < until:
        time.sleep(0.1)
        left = still_there(seen)
    assert not left, f"processes are left: {left}"
    games = games_in(folder / "killed.noughts")
    assert games == games_in(folder / "calm.noughts"), "the games are not the same"
    return hits, len(games), len(seen)


if __name__ == "__main__":
    kills, seed = (int(word) for word in [*sys.argv[1:], "50", "1"][:2])
    with tempfile.TemporaryDirectory() as folder:
        hits, games, seen = compare(Path(folder), kills, seed, rounds=2 * kills)
    assert sum(hits.values()) == kills, "it was over before; play more rounds"
    print(f"{hits['writer']} times the writer, {hits['other']} times another process was killed; seed {seed}")
    print(f"{games} games, the same as undisturbed; {seen} processes, none left")
