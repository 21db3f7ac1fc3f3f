"""Counts wrong verdicts on a busy machine: honest bots accused, guilty ones acquitted, late verdicts.

python benchmarks/arena_load.py [GAMES]

Endless loops run beside the games: 0, 1, 2 and 4 for each core. Honest bots use 60 % of their limit: one works, one
works and sleeps, one reads the clock, one leaves an alarm on. A guilty bot works for 150 % of its limit.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import noughts
from noughts.matches.game import play_seats
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotLimits, BotSource, ForkServer

LIMIT = 0.05
LIMITS = BotLimits(LIMIT, load_seconds=10.0)
FACTORS = (0, 1, 2, 4)
GUILTY_SHARE = 5
"""Honest games for each guilty one."""
WORK = """
import signal, time
def work(seconds):
    done = time.process_time() + seconds
    while time.process_time() < done:
        pass
def choose(state, clock):
    {how}
    return state.legal_actions()[0]
"""
HONEST = {
    "works": f"work({0.6 * LIMIT})",
    "works and sleeps": f"work({0.3 * LIMIT}); time.sleep({0.3 * LIMIT})",
    "looks at the clock": f"while clock.remaining() > {0.4 * LIMIT}: pass",
    "sets an alarm": f"signal.setitimer(signal.ITIMER_REAL, 60); work({0.6 * LIMIT})",
}
GUILTY = f"work({1.5 * LIMIT})"


@contextmanager
def load(factor: int) -> Iterator[None]:
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(factor * len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(games: int) -> None:
    game = noughts.load_game("classic")
    with ForkServer() as server:

        def seat(how: str) -> BotPlayer:
            return BotPlayer(BotSource("bot.py", None, WORK.format(how=how)), server, LIMITS)

        for factor in FACTORS:
            with load(factor):
                began = time.perf_counter()
                accused = dict.fromkeys(HONEST, 0)
                for number in range(games):
                    names = [list(HONEST)[(number + turn) % len(HONEST)] for turn in (0, 1)]
                    record = play_seats(game, [seat(HONEST[name]) for name in names], number)
                    if record.faulty is not None:
                        accused[names[record.faulty]] += 1
                took = (time.perf_counter() - began) / games
                late, acquitted = [], 0
                for number in range(max(1, games // GUILTY_SHARE)):
                    began = time.perf_counter()
                    record = play_seats(game, [seat(GUILTY), seat(HONEST["works"])], number)
                    late.append(time.perf_counter() - began)
                    acquitted += record.faulty != 0
            print(
                f"load {factor}: {games} honest games of {took:.2f} s, {sum(accused.values())} false accusations "
                f"({', '.join(f'{name} {times}' for name, times in accused.items())}); {len(late)} guilty ones, "
                f"{acquitted} acquitted, start to verdict {statistics.median(late):.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
