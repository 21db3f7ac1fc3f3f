"""What comes of a question to a model: a reply, or the error that there is none."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.errors import NoughtsError


class ServiceError(NoughtsError, ValueError):
    """The server gave no reply, through no fault of the model. fatal: whether retries are pointless for all games."""

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)  # pickle passes only the message and sets the rest afterwards
        self.fatal = fatal


@dataclass(frozen=True)
class Reply:
    """A model's reply for one move.

    seconds: from the question to the reply, attempts and pauses included. finish: why the model stopped ("length" if it
    ran out of tokens). failure: "time" if it did not answer in time; the text is empty then. model: the server's name
    for it. reasoning: sent by the server apart from the text. max_tokens: the limit that was sent. votes: the texts of
    all replies, if several were requested.
    """

    text: str
    seconds: float
    attempts: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish: str | None = None
    failure: str | None = None
    model: str | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    max_tokens: int | None = None
    votes: tuple[str, ...] = ()
