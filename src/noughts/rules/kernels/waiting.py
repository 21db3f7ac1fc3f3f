"""What a person is told who waits for the compiler: what is compiled, and for how long.

On a terminal it is one line with a bar that fills up, and that is gone when the code is ready. Elsewhere it is one line
a process, however much is compiled.
"""

from __future__ import annotations

import os
import sys

from noughts.cache import chosen_root

SILENT = "NOUGHTS_SAY_NOTHING"
"""An environment variable: whoever sets it tells the person, and the kernels do not."""

WAITS = {
    "noughts.rules": ("the rules", 1, 20),
    "noughts.search.kernels.mcts": ("Monte Carlo tree search", 2, 15),
    "noughts.search": ("the search", 6, 80),
    "noughts.solving": ("the solver", 1, 12),
    "noughts.learn": ("Q-learning", 2, 18),
    "noughts.envs": ("the vector environment", 1, 6),
}
"""By the beginning of a module's name, the first that fits: what its compiled code is for, for how many seconds one
waits for it on a usual machine with an empty cache, and about how many functions are compiled then."""

ALL_WAITS = "the rules take about 1 s, the search about 6 s, anything else 1 to 2 s"
"""The same for a line that is not followed by another."""

BAR = 20
CLEAR = "\r" + " " * 79 + "\r"
"""Without escape sequences, which not every terminal wants."""


def purpose(module: str) -> tuple[str, int, int] | None:
    return next((wait for name, wait in WAITS.items() if module.startswith(name)), None)


class Waiting:
    """What is said by this process."""

    def __init__(self) -> None:
        self._said = False
        self._shown: tuple[str, int, int] | None = None
        self._done: dict[str, int] = {}
        """Functions compiled, by what they are for."""

    def begin(self, module: str, kept: bool) -> None:
        """The compiling of an entry point of `module` begins; `kept`: it is the last time."""
        if SILENT in os.environ or sys.stderr is None:
            return
        if not kept:
            self._say(
                f"compiling; {ALL_WAITS}, and again each time: {chosen_root()} cannot be written; "
                "name another folder in NOUGHTS_CACHE_DIR"
            )
        elif sys.stderr.isatty():
            self._shown = purpose(module)
            self.step()
        else:
            self._say(f"compiling, once on this machine; {ALL_WAITS} (`noughts warm` compiles everything)")

    def step(self) -> None:
        """One more function is compiled."""
        if self._shown is None:
            return
        what, seconds, functions = self._shown
        done = self._done[what] = self._done.get(what, 0) + 1
        filled = min(BAR, BAR * done // functions)
        bar = "#" * filled + "." * (BAR - filled)
        print(f"{CLEAR}noughts: compiling {what}, about {seconds} s, once [{bar}]", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """The code is ready."""
        if self._shown is not None:
            print(CLEAR, end="", file=sys.stderr, flush=True)
            self._shown = None

    def _say(self, text: str) -> None:
        if not self._said:
            self._said = True
            print(f"noughts: {text} ...", file=sys.stderr, flush=True)
