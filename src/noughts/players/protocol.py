"""What a player is."""

from __future__ import annotations

from typing import Protocol

from noughts.game import State
from noughts.players.clock import Clock


class Player(Protocol):
    """Chooses moves. It is asked only in states that are not over, and answers with a legal action."""

    name: str

    def choose(self, state: State, clock: Clock) -> int: ...
