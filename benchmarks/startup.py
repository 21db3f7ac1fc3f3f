"""Measures start-up: import, --help, the first compile on a machine, and later starts.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

PLAYOUTS = "import noughts; game = noughts.load_game('extreme'); noughts.playouts(game, 1, 1)"
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


def main() -> None:
    with tempfile.TemporaryDirectory() as warm:
        bare = median("pass", warm)
        print(f"python, nothing else                      {bare:.3f} s")
        print(f"import noughts                            {median('import noughts', warm) - bare:.3f} s more")
        help_code = "import sys; from noughts.cli import main; sys.argv = ['noughts', '--help']; main()"
        print(f"noughts --help                            {median(help_code, warm):.3f} s in all")
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


if __name__ == "__main__":
    main()
