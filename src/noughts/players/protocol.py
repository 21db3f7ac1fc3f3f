"""What a player is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from noughts.clock import Clock
from noughts.game import Game, State

if TYPE_CHECKING:
    from noughts.players.llm.client import Reply


@runtime_checkable
class Player(Protocol):
    """Chooses moves. Inherit from it: what a player need not do is done here.

    It is asked only in states that are not over, and answers with a legal action. Who answers anything else, or
    raises an exception, loses the game by a fault.
    """

    name: str
    seats: tuple[int, ...] = (0, 1)
    """Where it can sit: 0 moves first."""

    def prepare(self, game: Game) -> None:
        """Make ready for a game before any clock runs; ValueError if the player cannot play it."""
        return

    def choose(self, state: State, clock: Clock) -> int: ...

    def close(self) -> None:
        """Let go of processes and connections. Nothing is asked of the player afterwards."""
        return


@runtime_checkable
class TextPlayer(Protocol):
    """A player who reads texts and writes replies, good or bad, such as a language model."""

    name: str

    def messages(self, observation: str) -> list[dict[str, str]]:
        """What the player is sent for an observation, the observation itself last."""
        ...

    def reply(self, observation: str, seconds: float | None = None) -> Reply:
        """What it answers, within `seconds` and its own limits. Several games may ask at once, each in its thread."""
        ...


def as_player(chooser: object, *, name: str | None = None) -> Player:
    """Any object with a method choose(state, clock) as a player; ValueError if it has none.

    One that does not inherit from `Player` is taken to need no preparation, and to sit anywhere. name: what such a one
    is called.
    """
    if isinstance(chooser, Player):
        return chooser
    if not callable(getattr(chooser, "choose", None)):
        raise ValueError(
            f"{type(chooser).__name__} is no player: it has no method choose(state, clock) that returns an action"
        )
    return _AnyPlayer(chooser, name)


def repeats(player: object) -> bool:
    """Whether a player says of itself, by an attribute `repeats`, that it always plays the same move in the same
    position, whatever its seed.
    """
    return bool(getattr(player, "repeats", False))


class _AnyPlayer(Player):
    def __init__(self, chooser: Any, name: str | None) -> None:
        self.name = name or str(getattr(chooser, "name", type(chooser).__name__))
        self._chooser = chooser

    def choose(self, state: State, clock: Clock) -> int:
        action: int = self._chooser.choose(state, clock)
        return action
