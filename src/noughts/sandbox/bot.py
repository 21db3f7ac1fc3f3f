"""A bot file at the board: one process in the sandbox for each game, asked for one move after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from noughts.game import Game, State
from noughts.rules.geometry import coordinates, index_of
from noughts.rules.spec import Rules
from noughts.sandbox import BotFault, BotLimits, BotSource, Fault, faults
from noughts.sandbox._wire import Message
from noughts.sandbox.faults import BUSY_MACHINE, prints_in
from noughts.sandbox.layers import NONE

if TYPE_CHECKING:
    from noughts.sandbox import ForkServer
    from noughts.sandbox.processes import BotProcess

ALLOWED_SHOWN = 12
NUMPY_WARNING = "returns numpy integers, which the course evaluators refuse; write int(...)"


@dataclass(frozen=True)
class Answer:
    """One move. prints: the beginning of what was printed meanwhile. warning: what its owner should know."""

    action: int
    seconds: float
    prints: str = ""
    warning: str = ""


class BotSeat:
    """One side of a game. It is started once, asked in turn, and closed.

    speed: how many times as fast as the real clock the clocks run that the bot sees. patience: how long the referee
    waits for a move, if that is less than the limit.
    """

    def __init__(
        self,
        source: BotSource,
        server: ForkServer,
        limits: BotLimits,
        *,
        name: str = "",
        strict: bool = False,
        unsafe: bool = False,
        speed: float = 1.0,
    ) -> None:
        self.name = name or source.name
        self.speed = speed
        self.patience = math.inf
        self.load_seconds = 0.0
        self.kilobytes = 0
        self._source = source
        self._server = server
        self._limits = limits
        self._strict = strict
        self._unsafe = unsafe
        self._bot: BotProcess | None = None
        self.is_confined = True
        """Whether the bot was held in a sandbox, once it was started."""
        self._seen = 0
        self._course = False

    def start(self, game: Game, seed: int) -> None:
        """Start the process and load the bot; BotFault if it fails at that."""
        from noughts.sandbox.processes import start_process  # games of built-in players start none

        self._bot = start_process(self._server, self._limits, unsafe=self._unsafe)
        self.is_confined = self._bot.layers.calls != NONE
        self._seen = 0
        reply = self._bot.ask(
            "load",
            self._limits.load_seconds,
            source=self._source.text,
            file=self._source.file,
            wanted=self._source.wanted,
            rules=asdict(game.rules),
            seed=seed,
            scaled_clocks=self.speed != 1,
        )
        self._course = reply.get("interface") == "course"
        self.load_seconds = self._bot.took

    def choose(self, state: State) -> Answer:
        """The bot's move; BotFault if it makes none that counts."""
        bot = self._bot
        assert bot is not None
        history = state.history()
        limit = self._limits.move_seconds
        fields = {"played": history[self._seen :], "seconds": limit, "speed": self.speed}
        reply = bot.ask("move", min(limit, self.patience), **fields)
        self._seen = len(history)
        if reply.get("changed") is not None:
            raise self._fault(faults.changed_board(faults.printable(reply["changed"])), reply)
        answer, converted = reply.get("answer"), reply.get("numpy") is True
        if answer is None or (converted and self._strict):
            odd = "integers of numpy" if answer is not None else faults.printable(reply.get("odd", "nothing"))
            advice = reply.get("advice") if answer is None else None
            raise self._fault(_invalid(odd, state, self._course, advice), reply)
        action = action_from(state.game.rules, answer, course=self._course)
        if action is None or action not in state.legal_actions():
            raise self._fault(_invalid(_shown(answer), state, self._course), reply)
        warning = NUMPY_WARNING if converted else BUSY_MACHINE if bot.was_starved else ""
        return Answer(action, bot.took, prints_in(reply), warning)

    def close(self) -> None:
        if self._bot is not None:
            self._bot.close()
            self.kilobytes = self._bot.kilobytes()
            self._bot = None

    def _fault(self, fault: Fault, reply: Message) -> BotFault:
        self.close()
        return BotFault(fault, prints_in(reply))


def action_from(rules: Rules, answer: object, *, course: bool) -> int | None:
    """The action that an answer off the wire names: a number, or coordinates of the course. None if it names none."""
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
    shown = ", ".join(map(str, legal[:ALLOWED_SHOWN]))
    more = f" and {len(legal) - ALLOWED_SHOWN} more" if len(legal) > ALLOWED_SHOWN else ""
    form = "a tuple of ints" if course else "an action, an int"
    return Fault(faults.INVALID, f"invalid move: it returned {returned}; allowed was {form}: {shown}{more}")


def _shown(answer: object) -> str:
    return faults.printable(tuple(answer) if isinstance(answer, list) else answer)
