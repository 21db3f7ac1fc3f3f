from noughts.players.llm.client import ChatClient as ChatClient
from noughts.players.llm.player import LlmPlayer as LlmPlayer
from noughts.players.llm.reply import Reply as Reply
from noughts.players.llm.reply import ServiceError as ServiceError
from noughts.players.llm.settings import LlmSettings as LlmSettings
