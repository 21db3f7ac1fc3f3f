"""Makes training data: games of the search against itself, on many cores.

    python training/generate.py extreme data/extreme4 --games 200000 --nodes 2000 --seed 4 --jobs 16

The folder gets a file for every 100 games, `games-00000000.npy` and so on: the records of kernels/selfplay.py, one
after the other. A game depends only on the seed and its number, so the same command writes the same files on any number
of cores. --seconds stops early, with fewer files of the same data. Existing files are kept.
"""

from __future__ import annotations

import argparse
import os
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from kernels import selfplay

import noughts
from noughts.rules.kernels.playout import streams
from noughts.search.engine import Engine
from noughts.search.network import load_network

CHUNK = 100
"""Games in a file."""
MOST_RECORDS = 520
"""Maximum records of a game: each of its positions, with one aside."""


class Generator:
    """The engine and buffers of a process that plays games."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.game = args, noughts.load_game(args.game)
        network = {None: "shipped", "none": None}.get(args.network, args.network)
        if network not in ("shipped", None):
            network = load_network(network, self.game.rules)
        self.engine = Engine(self.game, memory=1, network=network)
        words = 2 * self.game.rules.blocks + selfplay.RECORD_WORDS
        self.records = np.zeros((MOST_RECORDS, words), np.uint16)

    def chunk(self, number: int) -> int:
        """Plays the games of a file and writes it. Returns the number of positions."""
        args, engine = self.args, self.engine
        path = Path(args.folder) / f"games-{number:08}.npy"
        if path.exists() or time.time() > args.until:
            return 0
        found = []
        for game, stream in enumerate(streams(args.seed, CHUNK, CHUNK * number), CHUNK * number):
            plan = np.array([*args.opening, args.random, args.aside, args.nodes, game], np.int64)
            count = selfplay.play_game(
                *(engine._facts, engine._row, engine._params, engine._work, engine._tt, engine._net),
                *(stream, plan, self.records),
            )
            found.append(self.records[:count].copy())
            if time.time() > args.until:
                return 0
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            np.save(file, np.concatenate(found))
        os.replace(part, path)
        return sum(map(len, found))


GENERATOR: list[Generator] = []


def begin(args: argparse.Namespace) -> None:
    GENERATOR.append(Generator(args))


def work(number: int) -> int:
    return GENERATOR[0].chunk(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("folder")
    parser.add_argument("--games", type=int, required=True)
    parser.add_argument("--nodes", type=int, default=2000, help="of each search (2000)")
    parser.add_argument("--network", help="file, or none for the handmade evaluation (the shipped network)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opening", type=int, nargs=2, default=(2, 14), metavar=("LEAST", "MOST"))
    parser.add_argument("--random", type=int, default=30, help="random moves in a thousand (30)")
    parser.add_argument("--aside", type=int, default=300, help="positions one random move off, in a thousand (300)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.until = time.time() + args.seconds
    Path(args.folder).mkdir(parents=True, exist_ok=True)
    started = time.time()
    with get_context("fork").Pool(args.jobs, begin, (args,)) as pool:
        found = list(pool.imap_unordered(work, range(-(-args.games // CHUNK))))
    chunks = sum(count > 0 for count in found)
    print(
        f"{args.game}: {sum(found):,} positions of {chunks * CHUNK:,} games in {time.time() - started:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
