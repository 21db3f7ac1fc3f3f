"""Checks that many games leak no process, descriptor or memory: prints the counts before and after.

python benchmarks/arena_soak.py [GAMES]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import noughts
from noughts.matches.game import play_seats
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotLimits
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

BOTS = {
    "plays": "import random\ndef choose(state, clock):\n    return random.choice(state.legal_actions())\n",
    "crashes": "def choose(state, clock):\n    return 1 / 0\n",
    "forks": "import os\ndef choose(state, clock):\n    os.fork()\n",
    "dies": "import os\ndef choose(state, clock):\n    os._exit(0)\n",
    "hoards": "def choose(state, clock):\n    return bytearray(1 << 40)\n",
}
WARM_UP = 50


def counts(server: ForkServer) -> dict[str, int]:
    pid = server._process.pid
    memory = [int(Path(f"/proc/{who}/statm").read_text().split()[1]) * 4 for who in (os.getpid(), pid)]
    return {
        "descriptors of the referee": len(os.listdir("/proc/self/fd")),
        "descriptors of the fork server": len(os.listdir(f"/proc/{pid}/fd")),
        "processes of bots": len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()),
        "kilobytes of the referee": memory[0],
        "kilobytes of the fork server": memory[1],
    }


def main(games: int) -> None:
    game = noughts.load_game("classic")
    kinds = list(BOTS.values())
    with ForkServer() as server:
        before = {}
        for number in range(WARM_UP + games):
            if number == WARM_UP:
                before = counts(server)
            texts = kinds[0], kinds[number % len(kinds)]
            play_seats(
                game, [BotPlayer(BotSource("b.py", None, text), server, BotLimits(5.0)) for text in texts], number
            )
        after = counts(server)
    print(f"{games} games")
    for what, was in before.items():
        print(f"{what:<32} {was:>8} before {after[what]:>8} after")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
