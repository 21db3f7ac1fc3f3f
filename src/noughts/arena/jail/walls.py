"""What can hold around a bot."""

from __future__ import annotations

from dataclasses import dataclass

# How the system call filter holds.
REFEREE = "referee"  # forbidden calls go to the referee, which says what they were
BLIND = "kill"  # forbidden calls kill, and nobody knows which they were
NONE = "none"  # there is no filter


@dataclass(frozen=True)
class Walls:
    """What holds around one bot.

    calls: REFEREE, BLIND or NONE. landlock: its version, 0 without. dropped_root: whether it had to and did.
    """

    calls: str
    landlock: int
    dropped_root: bool
