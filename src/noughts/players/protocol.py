"""Defines a player: an object with `choose`, plus the optional parts of `BasePlayer`."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from noughts.clock import Clock
from noughts.game import Game, State
from noughts.players.llm.reply import ServiceError
from noughts.printable import one_line, printable
from noughts.rules.position import EMPTY
from noughts.sandbox import faults
from noughts.sandbox.faults import BotFault, Fault

if TYPE_CHECKING:
    from noughts.players.llm.reply import Reply
    from noughts.players.text_seat import Exchange


@runtime_checkable
class Player(Protocol):
    """Anything that chooses moves: an object with a method `choose`. You can pass a player object instead of a name.

    `choose` is called only in states that are not over, and returns a legal action. A player that returns anything
    else, or raises an exception, forfeits the game.

    Optional, as in `noughts.players.BasePlayer`: `name`, `seats`, `is_deterministic`, `prepare(game)`, `close()`.

    >>> import noughts
    >>> class First:
    ...     def choose(self, state, clock):
    ...         return state.legal_actions()[0]
    >>> isinstance(First(), noughts.Player)
    True
    """

    def choose(self, state: State, clock: Clock) -> int:
        """Returns a legal action of an unfinished state."""
        ...


@dataclass(frozen=True)
class Answer:
    """One move. prints: the beginning of what was printed meanwhile. warning: a note for the player's owner."""

    action: int
    seconds: float
    prints: str = ""
    warning: str = ""


class BasePlayer:
    """A player with all optional parts. Inherit from it to override some of them.

    Every game calls its players in the same way, whether they are built in, bots, models, programs or your own:
    `prepare` before it begins, `ask` for each move, `end_game` at its end. The creator of a player closes it.
    """

    name: str = "player"
    seats: tuple[int, ...] = (0, 1)
    """The seats that it can take; 0 moves first."""
    is_deterministic: bool = False
    """Whether it always plays the same move in the same position, whatever its seed."""
    is_confined: bool = True
    """False for untrusted code that runs without a sandbox."""
    used_seconds: float = 0.0
    """Seconds for which a bot kept the process that plays busy in this game, without waiting for a processor."""
    exchanges: Sequence[Exchange] = ()
    """Questions and replies of this game, for players that read text."""

    def prepare(self, game: Game) -> None:
        """Prepares for a game before any clock runs. Raises ValueError if the player cannot play it."""
        return

    def choose(self, state: State, clock: Clock) -> int:
        """Returns a legal action of an unfinished state."""
        raise NotImplementedError

    def ask(self, state: State, clock: Clock) -> Answer:
        """Returns the move of `choose`, with the time it took.

        Raises BotFault if `choose` raises an exception or returns no legal action. Trusted players are limited only by
        the clock, which they must check.
        """
        try:
            answer = self.choose(state.clone(), clock)
        except (ServiceError, CancelledError, BotFault):
            raise  # not the player's fault, or already reported
        except Exception as error:
            trace = "".join(traceback.format_exception(error))[-faults.DETAIL_KEPT :]
            text = f"crashed: {type(error).__name__}: {one_line(error)}"
            raise BotFault(Fault(faults.CRASH, text, detail=printable(trace, faults.DETAIL_KEPT))) from error
        taken = clock.elapsed()
        try:
            action = as_index(answer)
        except TypeError:
            action = -1
        if action not in state.legal_actions():
            raise BotFault(Fault(faults.INVALID, f"invalid move: it chose {one_line(repr(answer))}"))
        return Answer(action, taken)

    def end_game(self) -> None:
        """Releases the resources of one game."""
        return

    def close(self) -> None:
        """Releases processes and connections. The player must not be asked afterwards."""
        return


@runtime_checkable
class TextPlayer(Protocol):
    """A player that reads texts and writes replies, good or bad, such as a language model."""

    name: str

    def reply(
        self,
        messages: list[dict[str, str]],
        seconds: float | None = None,
        *,
        read: Callable[[Reply], int | None] | None = None,
        sample: int = 0,
    ) -> Reply:
        """Returns the answer, within `seconds` and the player's own limits. Several games may ask at once, in threads.

        read: returns the action that a reply names, for players that take a majority vote. sample: distinguishes
        repeated questions.
        """
        ...


def as_player(chooser: object, *, name: str | None = None) -> BasePlayer:
    """Returns an object, a class or a function with choose(state, clock) as a player. Raises ValueError if it has none.

    A class is instantiated. An object that does not inherit from `BasePlayer` needs only `choose`. name: used if it has
    no name of its own.
    """
    if isinstance(chooser, type) and callable(getattr(chooser, "choose", None)):
        chooser = chooser()
    if isinstance(chooser, BasePlayer):
        return chooser
    return _Adapted(chooser, _chooses(chooser), name)


def is_from_start(state: State) -> bool:
    """Returns whether a state's history goes back to the start of its game, not to a position."""
    return len(state.history()) == sum(mark != EMPTY for mark in state.view().cells)


PlayerLike = str | Player | type[Player] | Callable[[State, Clock], int]
"""Anything accepted as a player: a name, an object, a class or a function."""


def player_name(chooser: object) -> str:
    """Returns the default name of a player: that of its class or function."""
    name = getattr(chooser, "name", None)
    if isinstance(name, str) and name:
        return name
    return str(getattr(chooser, "__name__", type(chooser).__name__))


def _chooses(chooser: object) -> Callable[[State, Clock], int]:
    method = getattr(chooser, "choose", None)
    if callable(method):
        found: Callable[[State, Clock], int] = method
        return found
    if inspect.isfunction(chooser) or inspect.ismethod(chooser) or inspect.isbuiltin(chooser):
        function: Any = chooser
        return (lambda state, clock: function(state)) if takes_state_only(function) else function
    raise ValueError(
        f"{type(chooser).__name__} is not a player: it has no method choose(state, clock) that returns an action"
    )


def takes_state_only(function: Callable[..., object]) -> bool:
    """Returns whether a function is a policy, with the state as its only argument, rather than choose(state, clock)."""
    try:
        inspect.signature(function).bind(None)
    except (TypeError, ValueError):  # needs more arguments, or is compiled and has no signature
        return False
    return True


class _Adapted(BasePlayer):
    """Wraps a player object that does not inherit from `BasePlayer`. The object's creator closes it."""

    def __init__(self, chooser: Any, choose: Callable[[State, Clock], int], name: str | None) -> None:
        self.name = name or player_name(chooser)
        self.seats = getattr(chooser, "seats", BasePlayer.seats)
        self.is_deterministic = bool(getattr(chooser, "is_deterministic", False))
        self._choose, self._prepare = choose, getattr(chooser, "prepare", None)

    def prepare(self, game: Game) -> None:
        if callable(self._prepare):
            self._prepare(game)

    def choose(self, state: State, clock: Clock) -> int:
        return self._choose(state, clock)
