"""Limits of a search."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.rules.spec import short_repr
from noughts.search.kernels.timeman import MAX_RESERVE, NEVER

WAKING_SECONDS = 2 * 0.0156
"""Margin for Windows, whose ticks take 15.6 ms: one for the timer, one for the thread that watches the clock."""


@dataclass(frozen=True)
class Limits:
    """Limits of a search; the first one reached stops it. None is no limit; without any, an `Engine` searches to the
    end of the game.

    nodes: positions of an `Engine`, simulations of a `MonteCarloTreeSearch`. depth: plies; an `Engine` only.

    >>> import noughts
    >>> noughts.Limits(seconds=0.5, depth=12)
    Limits(seconds=0.5, nodes=None, depth=12)
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0), ("nodes", 1), ("depth", 1)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ValueError(f"{name} must be {least} or more, not {short_repr(value)}")
        if self.nodes is not None and self.nodes > NEVER:
            raise ValueError(f"nodes can be up to {NEVER}, not {short_repr(self.nodes)}")


def before_tick(seconds: float | None) -> float | None:
    """Returns the time of the alarm that stops a search within `seconds`."""
    return None if seconds is None else seconds - min(WAKING_SECONDS, seconds * MAX_RESERVE)
