"""Shows progress while kernels are compiled: what is compiled, and how long it takes.

On a terminal this is one line with a progress bar, erased when the code is ready. Elsewhere it is one line
per process, however much is compiled.
"""

from __future__ import annotations

import os
import sys

from noughts.cache import chosen_root

SILENT = "NOUGHTS_SAY_NOTHING"
"""Environment variable: set by a parent process that shows the progress itself, so that the kernels show none."""

WAITS = {
    "noughts.rules": ("the rules", 1, 20),
    "noughts.search.kernels.mcts": ("Monte Carlo tree search", 2, 15),
    "noughts.search": ("the search", 6, 80),
    "noughts.solving": ("the solver", 1, 12),
    "noughts.learn": ("Q-learning", 2, 18),
    "noughts.envs": ("the vector environment", 1, 6),
}
"""By prefix of the module name, first match: the purpose of the compiled code, the usual compile time in seconds with
an empty cache, and the approximate number of functions compiled."""

ALL_WAITS = "about 1 s for the rules, 6 s for the search, 1 to 2 s for anything else"
"""The same, in one line without updates."""

BAR = 20
CLEAR = "\r" + " " * 79 + "\r"
"""Erases the line. Escape sequences do not work on every terminal."""


def purpose(module: str) -> tuple[str, int, int] | None:
    return next((wait for name, wait in WAITS.items() if module.startswith(name)), None)


class Waiting:
    """The progress line of this process."""

    def __init__(self) -> None:
        self._said = False
        self._shown: tuple[str, int, int] | None = None
        self._done: dict[str, int] = {}
        """Number of functions compiled, by purpose."""

    def begin(self, module: str, kept: bool) -> None:
        """Starts the line for an entry point of `module`. `kept`: the compiled code is cached for later runs."""
        if SILENT in os.environ or sys.stderr is None:
            return
        if not kept:
            self._say(
                f"compiling ({ALL_WAITS}) on every run, because {chosen_root()} is not writable; "
                "set NOUGHTS_CACHE_DIR to another folder"
            )
        elif sys.stderr.isatty():
            self._shown = purpose(module)
            self.step()
        else:
            self._say(f"compiling, once on this machine; {ALL_WAITS} (`noughts warm` compiles everything)")

    def step(self) -> None:
        """Counts one more compiled function."""
        if self._shown is None:
            return
        what, seconds, functions = self._shown
        done = self._done[what] = self._done.get(what, 0) + 1
        filled = min(BAR, BAR * done // functions)
        bar = "#" * filled + "." * (BAR - filled)
        print(f"{CLEAR}noughts: compiling {what}, about {seconds} s, once [{bar}]", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Erases the line: the code is ready."""
        if self._shown is not None:
            print(CLEAR, end="", file=sys.stderr, flush=True)
            self._shown = None

    def _say(self, text: str) -> None:
        if not self._said:
            self._said = True
            print(f"noughts: {text} ...", file=sys.stderr, flush=True)
