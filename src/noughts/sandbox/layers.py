"""The layers of the sandbox that hold around a bot on this system, and how they are told."""

from __future__ import annotations

from dataclasses import dataclass

# How the system call filter holds.
REFEREE = "referee"  # forbidden calls go to the referee, which says what they were
BLIND = "kill"  # forbidden calls kill, and nobody knows which they were
NONE = "none"  # there is no filter


@dataclass(frozen=True)
class Layers:
    """What holds around one bot.

    calls: REFEREE, BLIND or NONE. landlock: its version, 0 without. dropped_root: whether it had to and did.
    cgroup: whether its memory is limited by a control group too.
    """

    calls: str
    landlock: int
    dropped_root: bool
    cgroup: bool = False

    @property
    def whole(self) -> bool:
        """Whether nothing is missing. A control group is a second limit on memory, and few systems give one."""
        return self.calls == REFEREE and self.landlock > 0


_CALLS = {
    REFEREE: "system calls filtered, and named when forbidden",
    BLIND: "system calls filtered (forbidden ones kill, unnamed: another filter of this container hears them)",
}


def layers_in_words(layers: Layers) -> str:
    """One line; it says loudly if there is no sandbox."""
    if layers.calls not in _CALLS:
        return "NONE. This is no sandbox: the bots can read, change and send whatever you can"
    parts = [_CALLS[layers.calls]]
    parts.append(f"Landlock {layers.landlock}" if layers.landlock else "no Landlock here")
    parts.append("no root rights" if layers.dropped_root else "an ordinary user's rights")
    parts.append(
        "memory limited by address space and by a cgroup" if layers.cgroup else "memory limited by address space"
    )
    return ", ".join(parts)
