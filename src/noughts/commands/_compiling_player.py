"""An opponent whose search is compiled in another process while the person looks at the board."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players import BasePlayer
from noughts.rules.kernels.jit import SILENT
from noughts.workers import Channel, Worker


class CompilingPlayer(BasePlayer):
    """An opponent whose search is compiled in another process. `make` creates it at its first move."""

    def __init__(self, name: str, make: Callable[[], BasePlayer]) -> None:
        self.name = name
        self._make = make
        self._player: BasePlayer | None = None
        self._worker = Worker(_compile)

    def prepare(self, game: Game) -> None:
        """Starts nothing: the person moves first, which leaves time to compile."""

    @property
    def is_compiling(self) -> bool:
        return self._player is None and self._worker.exitcode is None

    def choose(self, state: State, clock: Clock) -> int:
        if self._player is None:
            self._worker.wait()
            self._player = self._make()
            self._player.prepare(state.game)
        return self._player.choose(state, clock)

    def close(self) -> None:
        self._worker.close()
        if self._player is not None:
            self._player.close()


def _compile(channel: Channel) -> None:
    os.environ[SILENT] = "1"
    import_module("noughts.search.engine")
