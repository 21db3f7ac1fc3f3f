"""The active layers of the sandbox on this system, and their description."""

from __future__ import annotations

from dataclasses import dataclass

# State of the system call filter.
REFEREE = "referee"  # forbidden calls go to the referee, which reports them
BLIND = "kill"  # forbidden calls kill, and remain unknown
NONE = "none"  # there is no filter


@dataclass(frozen=True)
class Layers:
    """The active layers around a bot.

    calls: REFEREE, BLIND or NONE. landlock: its version, 0 without. dropped_root: whether the process was root and
    dropped it. cgroup: whether a control group also limits its memory.
    """

    calls: str
    landlock: int
    dropped_root: bool
    cgroup: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether no layer is missing, except for a control group, a second memory limit that few systems offer."""
        return self.calls == REFEREE and self.landlock > 0


_CALLS = {
    REFEREE: "system calls filtered, forbidden ones reported by name",
    BLIND: "system calls filtered (forbidden ones end the bot without a name, because this container already has a "
    "listener)",
}


def layers_in_words(layers: Layers) -> str:
    """Describes the layers in one line, with a clear warning if there is no sandbox."""
    if layers.calls not in _CALLS:
        return "NONE. There is no sandbox: bots can read, change and send everything that you can"
    parts = [_CALLS[layers.calls]]
    parts.append(f"Landlock {layers.landlock}" if layers.landlock else "no Landlock here")
    parts.append("no root rights" if layers.dropped_root else "an ordinary user's rights")
    parts.append(
        "memory limited by address space and by a cgroup" if layers.cgroup else "memory limited by address space"
    )
    return ", ".join(parts)
