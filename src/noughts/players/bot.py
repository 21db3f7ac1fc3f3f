"""A bot file as a player like any other: in `noughts play`, as the opponent of an environment, in any API."""

from __future__ import annotations

import atexit
import secrets
from functools import cache
from threading import Lock

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.protocol import BasePlayer
from noughts.rules.position import EMPTY
from noughts.sandbox import BotLimits
from noughts.sandbox.bot import BotSeat
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource

DEFAULT_SECONDS = 10.0
"""For a move in games that have no custom of their own."""

_starting = Lock()


def default_limits(game: Game) -> BotLimits:
    """Returns the limits of bots unless somebody says otherwise: the usual time of the game, the usual memory."""
    return BotLimits(float(game.rules.move_seconds or DEFAULT_SECONDS))


class BotPlayer(BasePlayer):
    """A bot in the sandbox, one process for each game. A fault of the bot is raised as `BotFault`.

    limits: those of the game's custom, if none are given. unsafe: play also where there is no sandbox.
    """

    def __init__(
        self, source: BotSource, seed: int | None = None, limits: BotLimits | None = None, *, unsafe: bool = False
    ) -> None:
        self.name: str = source.name
        self.is_confined: bool = True
        """Whether the bot was held in a sandbox, once it was started."""
        self._source, self._limits, self._unsafe = source, limits, unsafe
        self._seed = secrets.randbits(32) if seed is None else seed
        self._seat: BotSeat | None = None
        self._told: list[int] = []

    def prepare(self, game: Game) -> None:
        """Start the bot for a new game."""
        self.close()
        with _starting:  # a question to the fork server and its answer belong together
            self._seat = BotSeat(
                self._source, _fork_server(), self._limits or default_limits(game), unsafe=self._unsafe
            )
            self._seat.start(game, self._seed)
            self.is_confined = self._seat.is_confined
        self._told = []

    def choose(self, state: State, clock: Clock) -> int:
        """The bot's move. It has the time of its limits, whatever the clock says."""
        history = state.history()
        if len(history) != sum(mark != EMPTY for mark in state.view().cells):
            raise ValueError(f"{self.name} is a bot file, which plays a game from its start and not from a position")
        if self._seat is None or self._told != history[: len(self._told)]:
            self.prepare(state.game)
        assert self._seat is not None
        self._told = history
        return self._seat.choose(state).action

    def close(self) -> None:
        if self._seat is not None:
            self._seat.close()
            self._seat = None


@cache
def _fork_server() -> ForkServer:
    """The one of this process, which ends with it."""
    server = ForkServer()
    atexit.register(server.close)
    return server
