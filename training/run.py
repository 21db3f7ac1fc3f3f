"""Makes the next network of a game, from data to verdict, with one command.

    python training/run.py ultimate-boards runs/boards
    python training/run.py xtreme runs/xtreme --generations 3 --jobs 14

Each generation plays games with the newest network (the shipped one at first), trains on all games of this run, and
plays two matches against the shipped network: at 20,000 nodes a move, which says what was learned, and at 0.05 s a
move, which says whether to ship it. The folder gets `data-1`, `1.net` and so on; a run that was interrupted goes on
where it stopped. Games depend on the seed alone; training on a GPU is not repeatable to the bit. The recipes take 10
minutes for a generation on 16 cores and an H200; on a CPU, plan for hours, or for fewer --games.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import noughts

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recipe:
    """Settings of a generation. share: of the result in the target. With a fifth of the games, networks got worse."""

    games: int
    nodes: int = 1500
    share: float = 0.4
    rank: int = 32


RECIPES = {
    "ultimate": Recipe(games=260_000, share=0.5),
    "ultimate-boards": Recipe(games=260_000),
    "xtreme": Recipe(games=170_000),
    "extreme": Recipe(games=120_000),
}


def commands(args: argparse.Namespace, recipe: Recipe) -> Iterator[list[str]]:
    """Yields the scripts of all generations with their arguments, in order."""
    newest, data = noughts.load_game(args.game).data.network, []
    for number in range(1, args.generations + 1):
        made = args.folder / f"{number}.net"
        data.append(str(args.folder / f"data-{number}"))
        games, jobs = str(args.games or recipe.games), str(args.jobs)
        if not made.exists():
            where = ["generate.py", args.game, data[-1], "--games", games, "--nodes", str(recipe.nodes)]
            yield [*where, "--network", str(newest), "--seed", str(args.seed + number), "--jobs", jobs]
            how = ["--rate", "1e-3", "--first", "0.2", "--epochs", str(args.epochs), "--share", str(recipe.share)]
            yield ["train.py", args.game, str(made), *data, "--start", str(newest), "--rank", str(recipe.rank), *how]
        for limit in (["--nodes", "20000"], ["--time", "0.05"]):
            yield ["match.py", args.game, str(made), "shipped", *limit, "--pairs", str(args.pairs), "--jobs", jobs]
        newest = made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=RECIPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--generations", type=int, default=1)
    parser.add_argument("--games", type=int, help="of each generation (as the recipe says)")
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--pairs", type=int, default=500, help="of each match (500)")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for script, *words in commands(args, RECIPES[args.game]):
        done = subprocess.run([sys.executable, str(HERE / script), *words])
        if done.returncode:
            parser.exit(done.returncode, f"{script} failed: run the same command again to go on from here\n")
    where = noughts.load_game(args.game).data.network
    print(f"Ship a network whose interval at 0.05 s is above 0: copy it to {where}, then run noughts bench.")


if __name__ == "__main__":
    main()
