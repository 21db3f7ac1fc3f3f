"""Language models as players: ``llm:MODEL``, over any server that speaks OpenAI's chat API."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.players.llm.client import ChatClient, Reply, ServiceError
    from noughts.players.llm.player import LlmPlayer
    from noughts.players.llm.settings import LlmSettings

_HOME = {
    "ChatClient": "client",
    "Reply": "client",
    "ServiceError": "client",
    "LlmPlayer": "player",
    "LlmSettings": "settings",
}

__all__ = ["ChatClient", "LlmPlayer", "LlmSettings", "Reply", "ServiceError"]


def __getattr__(name: str) -> Any:
    """Loaded at their first use: players by name are listed everywhere, models are rarely among them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
