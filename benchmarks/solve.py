"""Measures solving whole games: time and memory, against OpenSpiel's value iteration and alpha-beta on tic-tac-toe.

    python benchmarks/solve.py

OpenSpiel's value iteration does what we do, the value of every position; its alpha-beta finds only the value of the
start. Both are its own Python algorithms over its compiled game (`pip install noughts[benchmarks]`). Our solutions are
computed anew, without reading from disk, unless stated.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

from measure import rates, report

import noughts
from noughts.solving import solution

NAMES = ("classic", "misere", "wild", "wild-misere", "numerical")

CHILD = """
import resource, time
import noughts
game = noughts.load_game("numerical")
at_work = time.process_time()
from noughts.solving import solve
loaded, compiled = time.perf_counter(), time.process_time()
solve(game)
print(compiled - at_work, time.perf_counter() - loaded, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def solve_fresh(name: str) -> int:
    noughts.solve(noughts.load_game(name), fresh=True)
    return 1


def read_from_disk(name: str) -> int:
    solution._SOLVED.clear()
    assert noughts.solve(noughts.load_game(name)).from_disk
    return 1


def expectimax() -> int:
    noughts.best_response("numerical", discount=0.8)
    return 1


def child(cache: str) -> list[float]:
    """Returns, of a new process, the seconds to load the solver and to solve numerical, and its memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env={**os.environ, "NOUGHTS_CACHE_DIR": cache},
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return [float(word) for word in done.stdout.split()]


def against_openspiel() -> None:
    try:
        import pyspiel
        from open_spiel.python.algorithms import minimax, value_iteration
    except ImportError as missing:
        print(f"against OpenSpiel: {missing.name} is not installed")
        return
    theirs = pyspiel.load_game("tic_tac_toe")
    found = rates(
        ours=lambda: solve_fresh("classic"),
        every_position=lambda: len(value_iteration.value_iteration(theirs, -1, 1e-6)) and 1,
        start_only=lambda: 1 if minimax.alpha_beta_search(theirs)[0] == 0 else 0,
    )
    report("classic, all positions", found["ours"], found["every_position"], "OpenSpiel value iteration")
    report("classic, the start", found["ours"], found["start_only"], "OpenSpiel alpha-beta")


def main() -> None:
    tasks: dict[str, Callable[[], int]] = {name: (lambda name=name: solve_fresh(name)) for name in NAMES}
    tasks["numerical, from disk"] = lambda: read_from_disk("numerical")
    tasks["numerical, against random"] = expectimax
    for name, rate in rates(**tasks).items():
        print(f"{name:<28} {1000 / rate:9.2f} ms")
    with tempfile.TemporaryDirectory() as cache:
        compiling, *_ = child(cache)
        shutil.rmtree(f"{cache}/solved")
        _, first, memory = child(cache)
    print(f"{'numerical, new process':<28} {1000 * first:9.2f} ms   {memory:.0f} MB, Python and Numba included")
    print(f"{'compiling the solver':<28} {compiling:9.2f} s    of work, once on a machine")
    against_openspiel()


if __name__ == "__main__":
    main()
