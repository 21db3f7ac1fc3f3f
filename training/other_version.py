"""Runs the engine of another checkout of the project in its own process, so that versions can play each other.

Run as a script with the other checkout's `src` in PYTHONPATH, it answers each line of JSON with another: to
`{"game": ..., "megabytes": ..., "limits": {...}}` with `{}`; to `null`, which starts a new game and forgets all
positions, with `{}`; to a list of actions, the game so far, with `{"action": ..., "depth": ..., "nodes": ...}`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def source_of(checkout: str) -> Path:
    """Returns the folder with a checkout's package; raises ValueError if it has none."""
    source = Path(checkout) / "src"
    if not (source / "noughts").is_dir():
        raise ValueError(f"{checkout!r} is no checkout of noughts: it has no folder src/noughts")
    return source


class OtherVersion:
    """The other process, with the methods that match.py calls on a player."""

    def __init__(self, checkout: str, game: str, megabytes: int, limits: dict[str, Any]) -> None:
        paths = [str(source_of(checkout)), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._ask({"game": game, "megabytes": megabytes, "limits": limits})

    def new_game(self, seed: str) -> None:
        self._ask(None)

    def search(self, actions: list[int]) -> tuple[int, int, int]:
        """Returns the action, the depth and the nodes."""
        found = self._ask(actions)
        return found["action"], found["depth"], found["nodes"]

    def _ask(self, question: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise ValueError(f"the other version ended with exit code {self._process.wait()}")
        return json.loads(answer)


def serve() -> None:
    import noughts
    from noughts import search

    if hasattr(search, "Engine"):
        engine_class = search.Engine
        limits_class = search.Limits if hasattr(search, "Limits") else search.SearchLimits
    else:  # what they were called at first
        searcher = import_module("noughts.search.searcher")
        engine_class, limits_class = searcher.Searcher, searcher.Limits

    request = json.loads(sys.stdin.readline())
    game = noughts.load_game(request["game"])
    try:
        engine = engine_class(game, memory=request["megabytes"])
    except TypeError:  # what it was called at first
        engine = engine_class(game, megabytes=request["megabytes"])  # type: ignore[call-arg]
    limits = limits_class(**request["limits"])
    forget = engine.new_game if hasattr(engine, "new_game") else engine.forget
    print("{}", flush=True)
    for line in sys.stdin:
        actions = json.loads(line)
        if actions is None:
            forget()
            print("{}", flush=True)
            continue
        state = game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        info = engine.search(state, limits)
        print(json.dumps({"action": info.best.action, "depth": info.depth, "nodes": info.nodes}), flush=True)


if __name__ == "__main__":
    serve()
