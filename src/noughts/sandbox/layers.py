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


# Which walls hold around bots on this system, in words.

_CALLS = {
    REFEREE: "system calls filtered, and named when forbidden",
    BLIND: "system calls filtered (forbidden ones kill, unnamed: another filter of this container hears them)",
}


def walls_in_words(walls: Walls) -> str:
    """One line; it says loudly if there is no jail."""
    if walls.calls not in _CALLS:
        return "NONE. This is no sandbox: the bots can read, change and send whatever you can"
    parts = [_CALLS[walls.calls]]
    parts.append(f"Landlock {walls.landlock}" if walls.landlock else "no Landlock in this kernel")
    parts.append("no root rights" if walls.dropped_root else "an ordinary user's rights")
    return ", ".join([*parts, "limits on memory and time"])
