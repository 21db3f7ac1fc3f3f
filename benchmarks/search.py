"""Measures the search: speed, depth, compile time, simulations against OpenSpiel's MCTS, punctuality.

    python benchmarks/search.py

Speeds are by processor time of one core. OpenSpiel's MCTS is its C++ version, with one random rollout a simulation;
both sides search from the start of ultimate tic-tac-toe (`pip install noughts[benchmarks]`).
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import noughts
from noughts.commands.bench import measure
from noughts.players import Clock, make_player
from noughts.search import Engine, Limits, MonteCarloTreeSearch

NESTED = ("ultimate", "xtreme", "extreme")
REPEATS = 5
MIDGAME = 20
ROUNDS = 5
CHILD = """
import time
import noughts.game, noughts.rules.kernels.playout
started = time.process_time()
import noughts.search.engine
print(time.process_time() - started)
"""


def midgame(game: noughts.Game) -> list[noughts.State]:
    """Returns positions after 20 to 39 random moves."""
    states = []
    for number in range(MIDGAME):
        choose = random.Random(number)
        state = game.new_initial_state()
        for _ in range(20 + number):
            if not state.is_terminal():
                state.apply_action(choose.choice(state.legal_actions()))
        if not state.is_terminal():
            states.append(state)
    return states


def speeds() -> None:
    for name in NESTED:
        game = noughts.load_game(name)
        both = [(measure(game), measure(game, handmade=True)) for _ in range(REPEATS)]
        learned, handmade = (
            statistics.median(one.nodes_per_second for one in found) for found in zip(*both, strict=True)
        )
        print(
            f"{name:<9} alpha-beta {learned / 1e6:6.2f} million nodes/s with its network, "
            f"{handmade / 1e6:6.2f} with the handmade evaluation",
            flush=True,
        )


def networks() -> None:
    """Prints the time to make an engine, its network read from the disk, and its memory."""
    for name in NESTED:
        game = noughts.load_game(name)
        started = time.process_time()
        engine = Engine(game, memory=1)
        seconds = time.process_time() - started
        held = sum(array.nbytes for array in (engine._net, engine._params, engine._work))
        print(f"{name:<9} engine made in {seconds:.3f} s, {held / 1e6:.1f} MB besides the table", flush=True)


def depths() -> None:
    for name in NESTED:
        game = noughts.load_game(name)
        engine = Engine(game)
        found = []
        for state in midgame(game):
            engine.new_game()
            info = engine.search(state, Limits(seconds=1))
            if not info.best.proven:
                found.append(info.depth)
        text = f"median depth {statistics.median(found):g} in 1 s" if found else "all proven"
        print(f"{name:<9} {text}, {MIDGAME} midgame positions ({len(found)} not proven)", flush=True)


def compile_times() -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NOUGHTS_CACHE_DIR": cache}
        for what in ("cold", "warm"):
            done = subprocess.run([sys.executable, "-c", CHILD], env=environment, check=True, capture_output=True)
            print(f"engine, {what} start {float(done.stdout):6.2f} s of work", flush=True)


def simulations() -> None:
    game = noughts.load_game("ultimate")
    state = game.new_initial_state()

    def ours() -> float:
        search = MonteCarloTreeSearch(game, 1)
        search.search(state, Limits(nodes=2))
        started = time.process_time()
        search.search(state, Limits(nodes=100_000))
        return 100_000 / (time.process_time() - started)

    try:
        import pyspiel
    except ImportError:
        print(f"ultimate  MCTS {statistics.median(ours() for _ in range(REPEATS)):,.0f}/s; OpenSpiel is not installed")
        return
    theirs_game = pyspiel.load_game("ultimate_tic_tac_toe")

    def theirs() -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(theirs_game, evaluator, 2.0, 10_000, 1000, True, 1, False)
        started = time.process_time()
        bot.mcts_search(theirs_game.new_initial_state())
        return 10_000 / (time.process_time() - started)

    rounds = [(ours(), theirs()) for _ in range(REPEATS)]
    a, b = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"ultimate  MCTS {a:,.0f} simulations/s; OpenSpiel's C++ {b:,.0f}/s; ratio {a / b:.1f}", flush=True)


@contextmanager
def other_work(processes: int) -> Iterator[None]:
    """Runs processes that keep the machine busy."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def punctuality(machine: str) -> None:
    """Prints how late moves are at 0.1 s each; a move is on time if this is at most 0."""
    game = noughts.load_game("extreme")
    for text in ("alphabeta", "mcts"):
        player = make_player(text, seed=1)
        player.prepare(game)
        late = []
        for state in midgame(game) * ROUNDS:
            clock = Clock(0.1)
            player.choose(state, clock)
            late.append(1000 * (clock.elapsed() - 0.1))
        print(
            f"{text:<9} at 0.1 s a move on a {machine} machine: median {statistics.median(late):+.1f} ms, "
            f"worst {max(late):+.1f} ms, {sum(ms > 0 for ms in late)} of {len(late)} late",
            flush=True,
        )


def main() -> None:
    compile_times()
    networks()
    speeds()
    depths()
    simulations()
    punctuality("quiet")
    busy = 2 * (os.cpu_count() or 1)
    with other_work(busy):
        punctuality(f"busy ({busy} other processes)")


if __name__ == "__main__":
    main()
