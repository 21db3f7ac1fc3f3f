"""Measures random games: moves a second on one core, for all games; against C++ and against OpenSpiel.

    python benchmarks/playouts.py

C++: the same algorithm with the facts of `extreme` built in (playouts.cpp), compiled here with -O3 -march=native. Both
play exactly the same games, which is checked. OpenSpiel: `ultimate_tic_tac_toe`, driven from Python, and its own C++
random rollouts, counted in marks placed, not in its choices of a board.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import rates, report

import noughts
from noughts.rules.kernels import layout
from noughts.rules.kernels.playout import play_games, streams

GAMES = 5000
MARKS_A_GAME_OF_ULTIMATE = noughts.playouts(noughts.load_game("ultimate"), 100_000, 1).plies / 100_000


def ours(name: str):
    game = noughts.load_game(name)
    games = GAMES if game.rules.nested else GAMES * 20
    return lambda: noughts.playouts(game, games, 1).plies


def against_cpp() -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        print("extreme against C++: no compiler here")
        return
    game = noughts.load_game("extreme")
    facts, start, stream = game.facts, game._start[0][: game.facts[layout.ROW_WORDS]], streams(1, 1)[0]
    row = start.copy()
    games = 4 * GAMES
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "playouts"
        source = Path(__file__).with_name("playouts.cpp")
        subprocess.run([compiler, "-O3", "-march=native", "-o", binary, source], check=True)
        ratios, speeds = [], []
        for _ in range(9):
            totals = np.zeros(4, np.int64)
            started = time.process_time()
            play_games(facts, start, row, stream, games, totals)
            our_rate = totals[0] / (time.process_time() - started)
            run = subprocess.run([binary, str(stream), str(games)], check=True, capture_output=True)
            *counts, seconds = run.stdout.split()
            assert totals.tolist() == list(map(int, counts)), "both must play the same games"
            their_rate = int(counts[0]) / float(seconds)
            ratios.append(our_rate / their_rate)
            speeds.append((our_rate, their_rate))
        ours_median, theirs_median = np.median(speeds, axis=0)
        report("extreme, moves", ours_median, theirs_median, "the same in C++ -O3 -march=native")
        print(f"  median of the ratios run by run: {np.median(ratios):.2f}")


def against_openspiel() -> None:
    try:
        import pyspiel
    except ImportError:
        print("ultimate against OpenSpiel: open_spiel is not installed")
        return
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    choose = random.Random(1)

    def from_python() -> int:
        for _ in range(100):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(choose.random() * len(actions))])
        return int(100 * MARKS_A_GAME_OF_ULTIMATE)

    # One simulation of its search is the choice of a first board and then so many rollouts, all in C++.
    rollouts_each = 4000
    search = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(rollouts_each, 1), 2.0, 1, 100, False, 1, False)

    def rollouts() -> int:
        search.mcts_search(game.new_initial_state())
        return int(rollouts_each * MARKS_A_GAME_OF_ULTIMATE)

    found = rates(ours=ours("ultimate"), python=from_python, rollouts=rollouts)
    report("ultimate, moves", found["ours"], found["python"], "OpenSpiel driven from Python")
    report("ultimate, moves", found["ours"], found["rollouts"], "OpenSpiel's own C++ random rollouts")


if __name__ == "__main__":
    for name, rate in rates(**{name: ours(name) for name in noughts.game_names()}).items():
        report(f"{name}, moves", rate)
    against_cpp()
    against_openspiel()
