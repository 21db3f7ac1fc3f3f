"""Asks a model over the chat API, with retries, until it replies, fails for good, or runs out of time."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import replace
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any

from noughts.players.llm.reply import Reply, ServiceError
from noughts.players.llm.settings import LlmSettings
from noughts.printable import printable
from noughts.untrusted import FileKind, parse_json

if TYPE_CHECKING:
    import httpx

Message = dict[str, str]

ANSWER = FileKind("an answer", 8_000_000, nodes=1 << 18)
"""Limits of a reply; replies for one move are shorter."""
MOST_TOKENS = 1 << 53
LONGEST_WAIT = 3600.0

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between attempts: doubled each time, with random jitter so that many games do not return at once."""

NEW_LIMIT = "max_completion_tokens"
"""Name of the token limit for newer models, which refuse the older name."""

ASK_AGAIN = {408, 409, 425, 429}


class _AttemptFailed(Exception):  # noqa: N818 - says what to do
    """This attempt failed; another may succeed. pause: seconds to wait, if the server named them. late: whether time
    ran out. unreached: whether there was no connection.
    """

    def __init__(self, why: str, pause: float | None = None, *, late: bool = False, unreached: bool = False) -> None:
        super().__init__(why)
        self.pause = pause
        self.late = late
        self.unreached = unreached


class ChatClient:
    """One model on one server. Many replies can be awaited at once; it belongs to one event loop."""

    def __init__(self, settings: LlmSettings) -> None:
        self.settings = settings
        self._random = random.Random()
        self._http: httpx.AsyncClient | None = None
        self._limit_name = "max_tokens"
        self._reached = False  # whether the server ever answered

    async def complete(self, messages: list[Message], seconds: float | None = None, sample: int = 0) -> Reply:
        """Returns the model's reply. Raises ServiceError if the server gives none. seconds: a limit below that of
        the settings.

        sample: added to the seed, so that the same question can be asked several times.
        """
        settings, started = self.settings, time.monotonic()
        deadline = started + min(settings.seconds, settings.seconds if seconds is None else seconds)
        failure = _AttemptFailed("no attempt was made", late=True)
        for attempt in range(1, settings.retries + 2):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                reply = await self._attempt(messages, min(left, settings.timeout), sample)
            except _AttemptFailed as again:
                failure = again
                if again.unreached and not self._reached and attempt > 1:
                    raise ServiceError(
                        f"no answer from {settings.base_url} ({again}); check the address, and that the server runs",
                        fatal=True,
                    ) from None
                pause = self._pause(attempt) if again.pause is None else again.pause
                if attempt > settings.retries or (pause >= deadline - time.monotonic() and not again.late):
                    break
                await asyncio.sleep(max(0.0, min(pause, deadline - time.monotonic())))
                continue
            took = time.monotonic() - started
            return replace(reply, seconds=took, attempts=attempt, max_tokens=settings.tokens)
        if failure.late:
            return Reply("", time.monotonic() - started, attempt, failure="time", max_tokens=settings.tokens)
        raise ServiceError(f"{settings.url} gave no reply after {attempt} attempts: {failure}", fatal=False)

    @property
    def is_open(self) -> bool:
        """Whether there are connections to close."""
        return self._http is not None

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _pause(self, attempt: int) -> float:
        longest: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1))
        return longest * (0.5 + self._random.random() / 2)

    async def _attempt(self, messages: list[Message], seconds: float, sample: int) -> Reply:
        """Makes one request; returns its reply."""
        settings = self.settings
        payload: dict[str, Any] = {"model": settings.model, "messages": messages, self._limit_name: settings.tokens}
        payload |= settings.sampling(sample)
        httpx = require_httpx()
        try:
            async with asyncio.timeout(seconds):
                status, headers, body = await self._post(payload)
        except TimeoutError:
            raise _AttemptFailed(f"no answer within {seconds:.0f} s", late=True) from None
        except httpx.InvalidURL as error:
            raise ServiceError(f"{settings.url} is not a web address: {error}", fatal=True) from None
        except httpx.HTTPError as error:
            why = settings.hide(f"{type(error).__name__} {error}".strip())
            raise _AttemptFailed(why, unreached=isinstance(error, httpx.ConnectError)) from None
        self._reached = True
        if status == 200:
            return _read_answer(body)
        why = settings.hide(f"HTTP {status} {_server_says(body)}".strip())
        if 300 <= status < 400 and headers.get("location"):
            # Redirects are never followed, since the key would go to another server.
            where = settings.hide(" ".join(str(headers["location"]).split())[:200])
            raise ServiceError(
                f"{settings.url} redirects to {printable(where)}; if that is the right server, name it with base_url",
                fatal=True,
            )
        if status in ASK_AGAIN or status >= 500:
            raise _AttemptFailed(why, _retry_after(headers.get("retry-after")))
        if status in (400, 422) and NEW_LIMIT in why and NEW_LIMIT not in payload:
            self._limit_name = NEW_LIMIT
            return await self._attempt(messages, seconds, sample)  # the model has not seen the question yet
        raise ServiceError(f"{settings.url} refused: {why}", fatal=True)

    async def _post(self, payload: dict[str, Any]) -> tuple[int, Any, bytes]:
        http = self._client()
        async with http.stream("POST", self.settings.url, json=payload) as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > ANSWER.size:
                    raise _AttemptFailed(f"an answer of more than {ANSWER.size} bytes")
            return response.status_code, response.headers, bytes(body)

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            httpx = require_httpx()
            headers = {"Authorization": f"Bearer {self.settings.api_key}"} if self.settings.api_key else {}
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
            self._http = httpx.AsyncClient(headers=headers, timeout=None, limits=limits)
        return self._http


def require_httpx() -> ModuleType:
    """Returns the HTTP client. Raises ValueError if it is not installed."""
    try:
        import httpx
    except ImportError:
        raise ValueError("language models need httpx: pip install httpx") from None
    return httpx


def _read_answer(body: bytes) -> Reply:
    try:
        answer = parse_json(body, ANSWER)
        choice = answer["choices"][0]
        message = choice["message"]
        content = message["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        page = body.lstrip()[:1] == b"<"
        what = (
            ("a web page, not a chat completion; check the address, which usually ends in /v1")
            if page
            else "not a chat completion"
        )
        raise _AttemptFailed(f"the answer is {what}") from None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("completion_tokens_details")
    return Reply(
        _text(content) or "",
        0.0,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        finish=_text(choice.get("finish_reason")),
        model=_text(answer.get("model")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        reasoning_tokens=_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _server_says(body: bytes) -> str:
    """Returns the message of an error, in one short line."""
    text = body[:2000].decode(errors="replace")
    try:
        error = parse_json(text, ANSWER)["error"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError):
        pass
    return " ".join("".join(char if char.isprintable() else " " for char in str(text)).split())[:200]


def _retry_after(value: str | None) -> float | None:
    """Returns the seconds to wait from a Retry-After header, a number or a date; None if there is none."""
    if value is None:
        return None
    try:
        return min(LONGEST_WAIT, max(0.0, float(value)))
    except ValueError:
        pass
    try:
        return min(LONGEST_WAIT, max(0.0, parsedate_to_datetime(value).timestamp() - time.time()))
    except (TypeError, ValueError, OverflowError):
        return None
