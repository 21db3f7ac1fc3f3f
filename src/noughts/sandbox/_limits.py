"""Limits of a bot's time and memory."""

from __future__ import annotations

from dataclasses import dataclass

LOAD_SECONDS = 10.0
MEMORY = 512 << 20
"""Bytes for a bot, on every machine: a bot that passes its check on one plays on the others."""


@dataclass(frozen=True)
class BotLimits:
    """The limits of a bot.

    move_seconds: for each move. load_seconds: to run its file and make the bot, once. memory: bytes, on top of an idle
    interpreter.
    """

    move_seconds: float
    load_seconds: float = LOAD_SECONDS
    memory: int = MEMORY
