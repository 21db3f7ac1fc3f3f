"""Plays every bot of some folders against a random player, and prints what became of each, as JSON.

A program of its own so that it can be run as another user: attack_driver.py FOLDER... It plays with the rules
uncompiled (NUMBA_DISABLE_JIT=1), which starts faster.
"""

import json
import os
import re
import sys
from pathlib import Path

import noughts
from noughts.matches.game import play_seats
from noughts.players import make_player
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import read_bot

# Only a bot that is to run out of time gets little of it: no other verdict hangs on how busy the machine is.
HASTY = BotLimits(move_seconds=0.05, load_seconds=0.15, memory=64 << 20)
HOSTILE = BotLimits(move_seconds=10, load_seconds=10, memory=64 << 20)
INNOCENT = BotLimits(move_seconds=10, load_seconds=10, memory=256 << 20)
GAME = "ultimate"


def limits_for(source):
    wanted = re.search(r"^# verdict: (.+)$", source, re.MULTILINE)
    if wanted is None:
        return INNOCENT
    return HASTY if "time" in wanted[1].partition(":")[0].split("|") else HOSTILE


def play(path, server):
    bot = BotPlayer(read_bot(str(path)), server, limits_for(path.read_text()), seed=7)
    return play_seats(noughts.load_game(GAME), [bot, make_player("random", seed=1)], seed=7)


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def main(folders):
    canary = Path(os.environ["CANARY"])
    noughts.load_game(GAME).new_initial_state()  # loads the rules, which makes the folder of compiled code
    before = canary.read_text(), sorted(os.listdir(canary.parent))
    print(json.dumps({folder.name: outcome(folder, canary, before) for folder in folders}))


def outcome(folder, canary, before):
    """What became of the bots of a folder, and what they left behind."""
    verdicts = {}
    with ForkServer() as server:
        files = len(os.listdir("/proc/self/fd"))
        for path in sorted(folder.glob("*.py")):
            record = play(path, server)
            fault = record.fault
            verdicts[path.stem] = {
                "kind": "plays" if fault is None else fault.kind,
                "text": record.reason if fault is None else fault.text,
                "line": None if fault is None else fault.line,
                "faulty": record.faulty,
                "moves": len(record.moves),
            }
        after = {
            "descriptors": len(os.listdir("/proc/self/fd")) - files,
            "processes": children(server._process.pid),
            "files": before == (canary.read_text(), sorted(os.listdir(canary.parent))),
            "user": os.getuid(),
            "tmp": [name for name in os.listdir("/tmp") if name.startswith("noughts-attack")],
        }
    return {"verdicts": verdicts, "after": after}


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
