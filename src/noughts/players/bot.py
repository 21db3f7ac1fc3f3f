"""Plays a bot file: one sandboxed process per game, asked for one move after the other."""

from __future__ import annotations

import atexit
import math
import secrets
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.protocol import Answer, BasePlayer, is_from_start
from noughts.rules.geometry import coordinates, index_of
from noughts.rules.spec import Rules
from noughts.sandbox import BotFault, BotLimits, BotSource, Fault, ForkServer, faults
from noughts.sandbox.faults import BUSY_MACHINE, prints_in
from noughts.sandbox.layers import NONE
from noughts.sandbox.processes import BotProcess, start_process

DEFAULT_SECONDS = 10.0
"""Seconds per move in games without a usual limit."""
ALLOWED_SHOWN = 12
NUMPY_WARNING = "returns NumPy integers, which the course evaluators refuse; write int(...)"

_forking = Lock()
"""Serialises requests to the fork server: several threads may start bots."""


def default_limits(game: Game) -> BotLimits:
    """Returns the default limits of bots: the usual time of the game, the usual memory."""
    return BotLimits(float(game.rules.move_seconds or DEFAULT_SECONDS))


class BotPlayer(BasePlayer):
    """A bot in the sandbox, one process per game. Its time is that of its limits, not of a clock.

    server: forks the bot (default: one server for all bots of this process). limits: default: the game's usual ones.
    seed: for the bot's random numbers (default: random). unsafe: play without a sandbox if none is available. speed:
    factor by which the clocks that the bot sees run faster. patience: seconds that the referee waits for a move, if
    less than the limit.
    """

    def __init__(
        self,
        source: BotSource,
        server: ForkServer | None = None,
        limits: BotLimits | None = None,
        *,
        seed: int | None = None,
        strict: bool = False,
        unsafe: bool = False,
        speed: float = 1.0,
    ) -> None:
        self.name: str = source.name
        self.speed = speed
        self.patience: float = math.inf
        self.load_seconds: float = 0.0
        self.kilobytes: int = 0
        self.used_seconds: float = 0.0
        self._source, self._server, self._limits = source, server, limits
        self._seed = secrets.randbits(32) if seed is None else seed
        self._strict, self._unsafe = strict, unsafe
        self._bot: BotProcess | None = None
        self._move_seconds = math.inf
        self._seen: State
        """The position that the bot knows."""
        self._course = False

    def prepare(self, game: Game) -> None:
        """Starts a process and loads the bot for a new game. Raises BotFault if loading fails."""
        self.close()
        limits = self._limits or default_limits(game)
        with _forking:
            self._bot = start_process(self._server or _fork_server(), limits, unsafe=self._unsafe)
        self.is_confined: bool = self._bot.layers.calls != NONE
        self._move_seconds, self._seen = limits.move_seconds, game.new_initial_state()
        reply = self._reply(
            "load",
            limits.load_seconds,
            source=self._source.text,
            file=self._source.file,
            wanted=self._source.wanted,
            **game.to_data(),
            seed=self._seed,
            scaled_clocks=self.speed != 1,
        )
        self._course = reply.get("interface") == "course"
        self.load_seconds = self._bot.took

    def choose(self, state: State, clock: Clock) -> int:
        return self.ask(state, clock).action

    def ask(self, state: State, clock: Clock) -> Answer:
        """Returns the bot's move with the charged time. Raises BotFault if it makes no legal move in time.

        If the state does not continue the bot's game, the bot is restarted. Raises ValueError if the state was not
        reached from the start.
        """
        played = None if self._bot is None else state.actions_since(self._seen)
        if played is None:
            if not is_from_start(state):
                raise ValueError(
                    f"{self.name} is a bot file; bot files play games only from the start, not from a position"
                )
            self.prepare(state.game)
            played = state.history()
        bot, limit = self._bot, self._move_seconds
        assert bot is not None
        reply = self._reply("move", min(limit, self.patience), played=played, seconds=limit, speed=self.speed)
        self._seen = state.clone()
        if reply.get("changed") is not None:
            raise self._fault(faults.changed_board(faults.printable(reply["changed"])), reply)
        answer, converted = reply.get("answer"), reply.get("numpy") is True
        if answer is None or (converted and self._strict):
            odd = "NumPy integers" if answer is not None else faults.printable(reply.get("odd", "nothing"))
            advice = reply.get("advice") if answer is None else None
            raise self._fault(_invalid(odd, state, self._course, advice), reply)
        action = action_from(state.game.rules, answer, course=self._course)
        if action is None or action not in state.legal_actions():
            raise self._fault(_invalid(_answer_text(answer), state, self._course), reply)
        warning = NUMPY_WARNING if converted else BUSY_MACHINE if bot.was_starved else ""
        return Answer(action, bot.took, prints_in(reply), warning)

    def end_game(self) -> None:
        self.close()

    def close(self) -> None:
        if self._bot is not None:
            self._bot.close()
            self.kilobytes = self._bot.kilobytes()
            self._bot = None

    def _reply(self, question: str, limit: float, **fields: object) -> dict[str, Any]:
        bot = self._bot
        assert bot is not None
        try:
            return bot.ask(question, limit, **fields)
        except BotFault:  # the process has ended; the next game starts another
            self.close()
            raise
        finally:
            self.used_seconds += bot.took

    def _fault(self, fault: Fault, reply: dict[str, Any]) -> BotFault:
        self.close()
        return BotFault(fault, prints_in(reply))


@cache
def _fork_server() -> ForkServer:
    """Returns the fork server of this process, which ends with it."""
    server = ForkServer()
    atexit.register(server.close)
    return server


def action_from(rules: Rules, answer: object, *, course: bool) -> int | None:
    """Returns the action that an answer from the wire names, by number or by the course's coordinates; None if there
    is none.
    """
    if not course:
        return answer if type(answer) is int and 0 <= answer < rules.num_actions else None
    if not isinstance(answer, list) or not all(type(number) is int for number in answer):
        return None
    return index_of(rules, answer)


def _invalid(returned: str, state: State, course: bool, advice: object = None) -> Fault:
    if isinstance(advice, str):
        return Fault(faults.INVALID, f"invalid move: it returned {returned}{faults.printable(advice)}")
    legal: Sequence[object] = state.legal_actions()
    if course:
        legal = [coordinates(state.game.rules, action) for action in state.legal_actions()]
    listed = ", ".join(map(str, legal[:ALLOWED_SHOWN]))
    more = f" and {len(legal) - ALLOWED_SHOWN} more" if len(legal) > ALLOWED_SHOWN else ""
    form = "a tuple of ints" if course else "an action, an int"
    return Fault(faults.INVALID, f"invalid move: it returned {returned}; allowed: {form}: {listed}{more}")


def _answer_text(answer: object) -> str:
    return faults.printable(tuple(answer) if isinstance(answer, list) else answer)
