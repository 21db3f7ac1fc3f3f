"""What a bot may use, in time and memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BotLimits:
    """What a bot may use. move_seconds: for each move. load_seconds: to run its file and make the bot, once.
    memory: bytes, on top of an idle interpreter.
    """

    move_seconds: float
    load_seconds: float = 10.0
    memory: int = 512 << 20
