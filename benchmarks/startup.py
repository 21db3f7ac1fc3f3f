"""Measures start-up: import, the first compile on a machine, later starts, and commands with all their processes.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

PLAYOUTS = "import noughts; game = noughts.load_game('extreme'); noughts.playouts(game, 1, 1)"
BOT = "import random\ndef choose(state, clock): return random.choice(state.legal_actions())\n"
PLAY = "import noughts.players; state = game.new_initial_state(); state.apply_action(0); str(state)"


def seconds(code: str, cache: str) -> float:
    """Returns the processor time of a new interpreter that runs `code`."""
    before = os.times()
    environment = {**os.environ, "NOUGHTS_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def median(code: str, cache: str, repeats: int = 7) -> float:
    return statistics.median(seconds(code, cache) for _ in range(repeats))


def command(*arguments: str) -> str:
    """Returns the code that runs a command."""
    return f"import sys; from noughts.cli import main; sys.argv = {['noughts', *arguments]}; sys.exit(main())"


def commands(folder: Path, cache: str) -> None:
    """Measures commands; the tournaments are of two trivial bots."""
    bots = folder / "bots"
    bots.mkdir()
    for name in ("one", "two"):
        (bots / f"{name}.py").write_text(BOT)
    files = (str(folder / f"{number}.noughts") for number in count())
    plays = [command("tournament", "run", str(bots), "--game", "wild", "--file", next(files)) for _ in range(7)]
    played = str(folder / "0.noughts")
    seconds(plays[0], cache)
    for name, times in {
        "show wild": [seconds(command("show", "wild"), cache) for _ in range(7)],
        "tournament run, 2 + 10 games": [seconds(play, cache) for play in plays[1:]],
        "tournament run, nothing left": [seconds(plays[0], cache) for _ in range(7)],
        "tournament standings": [seconds(command("tournament", "standings", played), cache) for _ in range(7)],
    }.items():
        print(f"noughts {name:<33} {statistics.median(times):.2f} s in all")


def main() -> None:
    with tempfile.TemporaryDirectory() as warm:
        bare = median("pass", warm)
        print(f"python, nothing else                      {bare:.3f} s")
        print(f"import noughts                            {median('import noughts', warm) - bare:.3f} s more")
        print(f"noughts --help                            {median(command('--help'), warm):.3f} s in all")
        cold = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(seconds(f"{PLAYOUTS}; {PLAY}", cache))
        print(f"first use: compile for playouts and play  {statistics.median(cold):.2f} s in all")
        numba = median("import numba", warm)
        seconds(f"{PLAYOUTS}; {PLAY}", warm)
        print(f"import numba                              {numba:.2f} s")
        later = median(f"{PLAYOUTS}; {PLAY}", warm) - numba
        print(f"later use: playouts and play              {later:.2f} s more than that")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        print(f"noughts warm                              {seconds(command('warm'), cache):.1f} s in all")
        commands(Path(folder), cache)


if __name__ == "__main__":
    main()
