"""Language models as players: ``llm:MODEL``, over any server that speaks OpenAI's chat API."""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.players.llm.client import ChatClient as ChatClient
    from noughts.players.llm.client import Reply as Reply
    from noughts.players.llm.client import ServiceError as ServiceError
    from noughts.players.llm.player import LlmPlayer as LlmPlayer
    from noughts.players.llm.settings import LlmSettings as LlmSettings

lazy_names(
    __name__,
    {
        "client": "ChatClient Reply ServiceError",
        "player": "LlmPlayer",
        "settings": "LlmSettings",
    },
)
