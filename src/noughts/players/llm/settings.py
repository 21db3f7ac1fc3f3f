"""Settings of a model player: the model, the server, the key, and the limits of a move."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from noughts.players.options import Option, Options, number, whole_number, words
from noughts.rules.spec import short_repr

OPENAI_URL = "https://api.openai.com/v1"

OPTIONS = (
    Option("base_url", "URL", words),
    Option("key_env", "NAME", words),
    Option("tokens", "N", whole_number),
    Option("seconds", "N", number),
    Option("timeout", "N", number),
    Option("retries", "N", whole_number),
    Option("temperature", "T", number),
    Option("top_p", "P", number),
    Option("effort", "LEVEL", words),
    Option("seed", "N", whole_number),
    Option("votes", "N", whole_number),
)
"""Options after the question mark in ``llm:MODEL?...``."""

LARGEST = 10**9
"""Largest value of a limit."""
TRANSPORT = frozenset({"base_url", "key_env", "retries", "timeout"})
"""Options that affect the connection but not the play."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
"""Reasoning efforts that servers accept."""
MOST_VOTES = 100
MOST_AT_ONCE = 1000
"""Maximum concurrent questions to models: each is a thread and a connection."""


def require_concurrency(concurrency: int) -> None:
    """Raises ValueError unless models can be asked this many questions at once."""
    if not 1 <= concurrency <= MOST_AT_ONCE:
        raise ValueError(f"concurrency must be 1 or more, and at most {MOST_AT_ONCE}, not {short_repr(concurrency)}")


def without_transport(name: str) -> str:
    """Returns a player's name without the options that do not change its games: a model's server and its timeouts.

    The other options are sorted, so that equal players have equal names.
    """
    if not name.startswith("llm:"):
        return name
    model, _, rest = name.partition("?")
    kept = [option for option in rest.split("&") if option and option.partition("=")[0] not in TRANSPORT]
    return "?".join(filter(None, [model, "&".join(sorted(kept))]))


def variables_of(name: str) -> set[str]:
    """Returns the environment variables that the player of this name reads."""
    if not name.startswith("llm:"):
        return set()
    named = [option.removeprefix("key_env=") for option in re.split("[?&]", name) if option.startswith("key_env=")]
    return {"OPENAI_BASE_URL", *(named or ["OPENAI_API_KEY"])}


@dataclass(frozen=True)
class LlmSettings:
    """The settings of one model.

    temperature, top_p, effort, seed: parameters of the server's API (effort is reasoning_effort); None is not sent.
    votes: number of times each question is asked; the most frequent move counts. tokens: maximum per reply. seconds:
    for one move, with all attempts. timeout: seconds for one attempt. retries: further attempts after a rate limit
    (429), a server error (5xx) or a timeout. api_key: never shown, logged or written anywhere.
    """

    model: str
    base_url: str = OPENAI_URL
    api_key: str | None = field(default=None, repr=False)
    tokens: int = 2048
    seconds: float = 180.0
    timeout: float = 90.0
    retries: int = 6
    temperature: float | None = None
    top_p: float | None = None
    effort: str | None = None
    seed: int | None = None
    votes: int = 1

    def __post_init__(self) -> None:
        if not self.model:
            raise ValueError("llm: needs a model name after the colon, such as llm:gpt-4o-mini")
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url is {self.base_url!r}; it must start with http:// or https://")
        if "@" in urlsplit(self.base_url).netloc:
            raise ValueError("base_url must not contain a name or password; put the key in an environment variable")
        if self.base_url == OPENAI_URL and not self.api_key:
            raise ValueError(
                "no key for api.openai.com; set the environment variable OPENAI_API_KEY, "
                f"or name another server: llm:{self.model}?base_url=http://localhost:8000/v1"
            )
        for name, value, least in (
            ("tokens", self.tokens, 1),
            ("seconds", self.seconds, 0.01),
            ("timeout", self.timeout, 0.01),
            ("retries", self.retries, 0),
            ("seed", self.seed or 0, 0),
        ):
            if not least <= value <= LARGEST:
                raise ValueError(f"{name} must be {least} or more, and at most {LARGEST}, not {short_repr(value)}")
        if not 1 <= self.votes <= MOST_VOTES:
            raise ValueError(f"votes must be 1 or more, and at most {MOST_VOTES}, not {short_repr(self.votes)}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be greater than 0 and at most 1, not {short_repr(self.top_p)}")
        if self.effort is not None and self.effort not in EFFORTS:
            raise ValueError(f"effort must be one of {', '.join(EFFORTS)}, not {short_repr(self.effort)}")
        if self.temperature is not None and not -LARGEST <= self.temperature <= LARGEST:
            raise ValueError(f"temperature must be a number, not {short_repr(self.temperature)}")

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + "/chat/completions"

    def sampling(self, sample: int = 0) -> dict[str, float | str]:
        """Returns the sampling parameters of a request. sample: added to the seed."""
        seed = None if self.seed is None else self.seed + sample
        sent = {"temperature": self.temperature, "top_p": self.top_p, "reasoning_effort": self.effort, "seed": seed}
        return {name: value for name, value in sent.items() if value is not None}

    def hide(self, text: str) -> str:
        """Returns the text without the key, in case a server repeated it."""
        return text.replace(self.api_key, "***") if self.api_key else text


def settings_of(model: str, options: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> LlmSettings:
    """Returns the settings of ``llm:MODEL?options``; URL and key default to OPENAI_BASE_URL and OPENAI_API_KEY."""
    if "key" in options or "api_key" in options:
        raise ValueError(
            "other users can read a key on a command line; put it in the environment variable OPENAI_API_KEY, or in "
            "another variable and pass its name: key_env=NAME"
        )
    texts = Options(options)
    values = texts.values_of(OPTIONS)
    texts.refuse_rest("llm", OPTIONS)
    base_url = values.pop("base_url", None) or environ.get("OPENAI_BASE_URL") or OPENAI_URL
    key_env = values.pop("key_env", None)
    if key_env and not environ.get(key_env):
        raise ValueError(f"the environment variable {key_env}, named by key_env, is not set")
    settings = LlmSettings(model, base_url, environ.get(key_env or "OPENAI_API_KEY") or None)
    return replace(settings, **values)
