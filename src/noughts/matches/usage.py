"""Counts the questions to models of a run and their tokens, with a limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from noughts.players.llm import ServiceError
from noughts.players.text_seat import Exchange
from noughts.rules.spec import short_repr

CHARACTERS = 4
"""Characters per token if a server does not count: a rough figure for English."""
MOST_TOKENS = 10**15


class QuestionRefused(ServiceError):  # noqa: N818 - it says what is the matter
    """The tokens are used up, so no question may be asked. No new game starts, and no reply is lost."""

    def __init__(self, message: str) -> None:
        super().__init__(message, fatal=False)


@dataclass
class Usage:
    """Tokens that models have used so far in a run. most: the limit, after which no more questions are asked.

    read, written: tokens, as the servers count them or by their characters. at: the current move of each game with a
    model. Thread-safe.
    """

    most: int | None = None
    replies: int = 0
    invalid: int = 0
    read: int = 0
    written: int = 0
    at: dict[int, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.most is not None and not 1 <= self.most <= MOST_TOKENS:
            raise ValueError(
                f"the total of tokens must be 1 or more, and at most {MOST_TOKENS:,}, not {short_repr(self.most)}"
            )

    @property
    def tokens(self) -> int:
        return self.read + self.written

    @classmethod
    def from_exchanges(cls, exchanges: Mapping[int, Iterable[Exchange]], most: int | None) -> Usage:
        """Returns the usage of a run that continues."""
        usage = cls(most)
        for number, noted in exchanges.items():
            for exchange in noted:
                usage.add(number, exchange)
        return usage

    def add(self, number: int, exchange: Exchange) -> None:
        """Adds a question and its reply, in the game of this number."""
        asked = sum(len(message["content"]) for message in exchange.messages)
        with self._lock:
            self.replies += 1
            self.invalid += not exchange.valid
            asked *= len(exchange.votes) or 1
            self.read += asked // CHARACTERS if exchange.prompt_tokens is None else exchange.prompt_tokens
            if exchange.completion_tokens is None:
                self.written += sum(map(len, exchange.votes or [exchange.reply])) // CHARACTERS
            else:
                self.written += exchange.completion_tokens
            self.at[number] = exchange.ply + 1

    def check(self) -> None:
        """Raises QuestionRefused if the tokens are used up."""
        if self.most is not None and self.tokens >= self.most:
            raise QuestionRefused(
                f"the limit of {self.most:,} tokens is reached ({self.tokens:,} used); raise --max-tokens-total"
            )
