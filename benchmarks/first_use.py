"""Measures compile time, command by command from an empty cache, and the speed of the compiled code.

python benchmarks/first_use.py                       these sources
python benchmarks/first_use.py --before OTHER/src    two versions in turns, with ratios
python benchmarks/first_use.py --only hot            only the speed of the hot loops; `--only cold` leaves them out
python benchmarks/first_use.py --loops solve learn   only the hot loops with one of these words in their names

Times are CPU seconds of a new process, so other load on the machine matters little. Each command of a round uses the
code that the commands before it compiled. Hot loops of both versions run in turns, in several pairs of new processes,
because the addresses of code and data affect speed and differ from process to process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

TURNS = 7
"""Number of times that a process runs each hot loop."""

CLI = "import sys; from noughts.cli import main; sys.argv = ['noughts', *{!r}.split()]; sys.exit(main())"
COMMANDS = {
    "first board (play extreme)": CLI.format("play extreme"),
    "playouts": "import noughts; noughts.playouts(noughts.load_game('extreme'), 1, 1)",
    "perft": CLI.format("perft classic 3"),
    "engine's first move (analyze)": CLI.format("analyze extreme --depth 2"),
    "Monte Carlo tree search": """
from noughts.search import Limits, MonteCarloTreeSearch
import noughts; state = noughts.load_game('extreme').new_initial_state()
MonteCarloTreeSearch(state.game, 3, memory=1).search(state, Limits(nodes=10))
""",
    "solve": CLI.format("solve wild"),
    "train": """
import noughts; from noughts.learn import make_table, preset
for name in ('published', 'self'):
    table = make_table(preset(name, noughts.load_game('classic').rules, {}))
    table.learn(20); table.greedy_policy_values()
""",
    "environments, symmetry": """
import noughts, noughts.envs.kernels; from noughts.rules.kernels import batch, observe
noughts.load_game('extreme').new_initial_state().canonical()
""",
}

HOT = """
import json, sys, time
from functools import partial
import numpy as np
import noughts
from noughts.commands.bench import positions
from noughts.learn import make_table, preset
from noughts.search import Engine, MonteCarloTreeSearch, Limits
from noughts.solving.graph import build_graph

def playouts(name, games):
    return noughts.playouts(noughts.load_game(name), games, 1).plies

def search(engine, states):
    nodes = 0
    for state in states:
        engine.new_game(); nodes += engine.search(state, Limits(nodes=60_000)).nodes
    return nodes

def mcts(game, simulations):
    MonteCarloTreeSearch(game, 3, memory=64).search(game.new_initial_state(), Limits(nodes=simulations))
    return simulations

def learn(name, settings, episodes):
    make_table(preset(settings, noughts.load_game(name).rules, {})).learn(episodes); return episodes

def steps(game, games):
    moves = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0]); moves += 1
    return moves

def canonical(state, times):
    for _ in range(times): state.canonical()
    return times

extreme, numerical = noughts.load_game('extreme'), noughts.load_game('numerical')
state = extreme.new_initial_state()
for _ in range(12): state.apply_action(state.legal_actions()[-1])
loops = {
    **{f'playouts of {name}, moves': partial(playouts, name, games)
       for name, games in (('classic', 40_000), ('extreme', 5_000), ('xtreme', 2_000))},
    **{f'alpha-beta of {game.name}, nodes': partial(search, Engine(game, memory=16), positions(game))
       for game in map(noughts.load_game, ('extreme', 'xtreme', 'ultimate'))},
    'MCTS of extreme, simulations': lambda: mcts(extreme, 2_000),
    'perft 5 of extreme, sequences': lambda: noughts.perft(extreme, 5),
    'solve numerical, games': lambda: bool(build_graph(numerical.rules)),
    'learn_pairs of classic, episodes': lambda: learn('classic', 'published', 300_000),
    'learn by self-play, episodes': lambda: learn('classic', 'self', 300_000),
    'steps of extreme, moves': lambda: steps(extreme, 200),
    'canonical of extreme, states': lambda: canonical(state, 500),
}
print(json.dumps(list(loops)), flush=True)
for line in sys.stdin:
    loop = loops[line.strip()]
    started = time.thread_time(); done = loop()
    print(done / (time.thread_time() - started), flush=True)
"""


def run(code: str, sources: Path, cache: str) -> tuple[float, str]:
    """Returns the CPU seconds of a new interpreter that runs `code` with these sources, and its output."""
    environment = {**os.environ, "PYTHONPATH": str(sources), "NOUGHTS_CACHE_DIR": cache}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code], input="quit\n", env=environment, text=True, capture_output=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{code}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def first_uses(sources: Path) -> dict[str, float]:
    """Returns the additional CPU seconds of each command's first run, and the size of the compiled code."""
    with tempfile.TemporaryDirectory() as cache:
        costs = {name: run(code, sources, cache)[0] - run(code, sources, cache)[0] for name, code in COMMANDS.items()}
        size = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file() and "code" in file.parts)
    return {**costs, "all of it": sum(costs.values()), "cache, MB": size / 1e6}


class Loops:
    """A process that runs a named hot loop once on request."""

    def __init__(self, sources: Path, cache: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(sources), "NOUGHTS_CACHE_DIR": cache}
        command = [sys.executable, "-c", HOT]
        self._process = subprocess.Popen(
            command,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._ask, self._answers = self._process.stdin, self._process.stdout
        self.names: list[str] = json.loads(self._answers.readline())

    def rate(self, name: str) -> float:
        self._ask.write(name + "\n")
        self._ask.flush()
        return float(self._answers.readline())

    def close(self) -> None:
        self._ask.close()
        self._process.wait()


def hot_loops(versions: list[Path], rounds: int, words: list[str]) -> Iterator[tuple[str, list[float]]]:
    """Returns the rate of each loop in each version: medians over all turns in `rounds` new processes.

    words: run only loops with one of these words in their names.
    """
    rates: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            processes = [Loops(version, f"{folder}/{number}") for number, version in enumerate(versions)]
            for name in processes[0].names:
                if not any(word in name for word in words):
                    continue
                for process in processes:
                    process.rate(name)
                for _ in range(TURNS):
                    rates.setdefault(name, []).append([process.rate(name) for process in processes])
            for process in processes:
                process.close()
    for name, turns in rates.items():
        medians = [statistics.median(rates) for rates in zip(*turns, strict=True)]
        # The ratio is that of neighbouring runs: a noisy moment hits both.
        yield name, [medians[0], medians[0] * statistics.median(turn[-1] / turn[0] for turn in turns)][: len(versions)]


def in_turns(
    versions: list[Path], rounds: int, measure: Callable[[Path], dict[str, float]]
) -> Iterator[tuple[str, list[float]]]:
    """Prints a measurement and its median for each version."""
    found: dict[Path, list[dict[str, float]]] = {version: [] for version in versions}
    for turn in range(rounds):
        for version in versions if turn % 2 == 0 else versions[::-1]:
            found[version].append(measure(version))
    for name in found[versions[0]][0]:
        yield name, [statistics.median(figures[name] for figures in found[version]) for version in versions]


def show(title: str, rows: Iterator[tuple[str, list[float]]], form: str) -> None:
    print(title)
    for name, medians in rows:
        ratio = f"   ratio {medians[-1] / medians[0]:.3f}" if len(medians) == 2 else ""
        print(f"  {name:<34}" + "".join(f"{value:>16{form}}" for value in medians) + ratio, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="SRC", help="the sources of another version")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["cold", "hot"])
    parser.add_argument("--loops", nargs="+", metavar="WORD")
    args = parser.parse_args()
    ours = Path(__file__).parent.parent / "src"
    versions = [args.before, ours] if args.before else [ours]
    if args.only != "hot" and not args.loops:
        show("first use, CPU seconds more than later", in_turns(versions, args.rounds, first_uses), ".2f")
    if args.only != "cold":
        show("hot loops, a second", hot_loops(versions, args.rounds, args.loops or [""]), ",.1f")


if __name__ == "__main__":
    main()
