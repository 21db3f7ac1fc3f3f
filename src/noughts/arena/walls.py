"""Which walls hold around bots on this system, in words."""

from __future__ import annotations

from noughts.arena.bot import JailedBot, Limits
from noughts.arena.forkserver import ForkServer
from noughts.arena.jail.walls import BLIND, REFEREE, Walls

_CALLS = {
    REFEREE: "system calls filtered, and named when forbidden",
    BLIND: "system calls filtered (forbidden ones kill, unnamed: another filter of this container hears them)",
}


def probe(server: ForkServer, *, unsafe: bool = False) -> Walls:
    """What holds around a bot here, found by trying; ArenaError if there is no jail, unless `unsafe`."""
    with JailedBot(server, Limits(1.0), unsafe=unsafe) as bot:
        return bot.walls


def walls_in_words(walls: Walls) -> str:
    """One line; it says loudly if there is no jail."""
    if walls.calls not in _CALLS:
        return "NONE. This is no sandbox: the bots can read, change and send whatever you can"
    parts = [_CALLS[walls.calls]]
    parts.append(f"Landlock {walls.landlock}" if walls.landlock else "no Landlock in this kernel")
    parts.append("no root rights" if walls.dropped_root else "an ordinary user's rights")
    return ", ".join([*parts, "limits on memory and time"])
