"""What a player is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from noughts.clock import Clock
from noughts.game import Game, State

if TYPE_CHECKING:
    from noughts.players.llm.client import Reply


class Player(Protocol):
    """Chooses moves. It is asked only in states that are not over, and answers with a legal action."""

    name: str

    def choose(self, state: State, clock: Clock) -> int: ...


@runtime_checkable
class TextPlayer(Protocol):
    """A player who reads texts and writes replies, good or bad, such as a language model."""

    name: str

    def messages(self, observation: str) -> list[dict[str, str]]:
        """What the player is sent for an observation, the observation itself last."""
        ...

    async def reply(self, observation: str) -> Reply: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Preparing(Protocol):
    """A player who wants to be told the game before its first clock runs."""

    def prepare(self, game: Game) -> None: ...
