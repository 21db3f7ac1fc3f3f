"""What a bot may use, in time and memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

MOST_MEMORY = 2 << 30
"""Bytes for a bot where there is room. Good bots keep tables of what they have seen: one of a real class had 1.1 GB."""
LEAST_MEMORY = 512 << 20
STEP = 256 << 20
CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""What a container is given, by both versions of control groups."""


@cache
def default_memory() -> int:
    """Bytes for a bot: as many as this machine has if each core plays a game of two, in steps, within the bounds."""
    share = _machine_memory() // (2 * (os.cpu_count() or 1))
    return min(MOST_MEMORY, max(LEAST_MEMORY, share // STEP * STEP))


def _machine_memory() -> int:
    """Bytes that there are, for the machine or for the container that we are in."""
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not a system that bots run on
        return 0
    return min([pages, *(limit for path in CONTAINER_LIMITS if (limit := _number(path)) > 0)])


def _number(path: str) -> int:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):  # there is none, or it is "max"
        return 0


@dataclass(frozen=True)
class BotLimits:
    """What a bot may use. move_seconds: for each move. load_seconds: to run its file and make the bot, once.
    memory: bytes, on top of an idle interpreter; by default what the machine has for each, see `default_memory`.
    speed: how fast the clocks run that the bot can see.
    """

    move_seconds: float
    load_seconds: float = 10.0
    memory: int = field(default_factory=default_memory)
    speed: float = 1.0
