"""How long a player's moves took."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from noughts.arena.record import GameRecord


@dataclass(kw_only=True)
class Timed:
    """Something that knows the seconds of a player's moves."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median_seconds(self) -> float:
        """0 if there were no moves."""
        return median(self.seconds) if self.seconds else 0.0

    @property
    def worst_seconds(self) -> float:
        """Of the longest move; 0 if there were none."""
        return max(self.seconds, default=0.0)

    def late_moves(self, limit: float) -> int:
        """How many moves took longer. Nobody stops a built-in player; a bot that was not stopped lacked a processor."""
        return sum(taken > limit for taken in self.seconds)


def seconds_of(record: GameRecord, seat: int) -> list[float]:
    """The times of the moves that one player chose."""
    movers = [state.current_player() for state, action in record.states() if action is not None]
    timed = list(zip(movers, record.seconds, strict=True))[record.opening :]
    return [taken for mover, taken in timed if mover == seat]
