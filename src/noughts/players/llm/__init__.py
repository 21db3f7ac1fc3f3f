"""Language models as players: ``llm:MODEL``, over any server that speaks OpenAI's chat API."""

from noughts._lazy import lazy_names

lazy_names(__name__)
