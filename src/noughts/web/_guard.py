"""Who may speak to the server, asked before anything else is: a layer around the whole application.

Host        names this server, so that a page elsewhere cannot reach it under a name of its own (DNS rebinding)
Origin      is this server's, wherever something is changed and on every WebSocket, if a browser sends one
token       where the server can be reached from other machines, everybody needs the one that it printed
sizes, rates, connections      are bounded for each address

Each answer gets headers that forbid what the page does not need: no script or style but its own files, no framing but
of /embed, no guessing of types.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from noughts.web._settings import (
    BODY_BYTES,
    CONNECTIONS,
    CONNECTIONS_EACH,
    JOIN_BYTES,
    REQUEST_BURST,
    REQUESTS_A_SECOND,
    TRIES_A_MINUTE,
    Settings,
)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "noughts_join"
OPEN_TO_ALL = ("/join", "/static/")
"""What is served without a token: the page that asks for it, and files without any secret."""
FRAMED = "/embed"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
REMEMBERED = 10_000
"""Addresses whose rates are kept in mind."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors "
)


class Rate:
    """So many events a second on average, and `burst` at once, for each of many who may be told apart by a key."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second, self._burst = per_second, burst
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, key: str) -> bool:
        now = time.monotonic()
        left, then = self._left.get(key, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._per_second)
        if len(self._left) > REMEMBERED:
            self._left.clear()
        self._left[key] = (left - 1 if left >= 1 else left, now)
        return left >= 1


class Refusal(Exception):  # noqa: N818 - it is the request that erred
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class TooMuch(Exception):  # noqa: N818
    """A body larger than was announced."""


class Guard:
    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._requests = Rate(REQUESTS_A_SECOND, REQUEST_BURST)
        self._tries = Rate(TRIES_A_MINUTE / 60, TRIES_A_MINUTE)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check(scope, headers)
        except Refusal as refusal:
            return await _refuse(scope, send, refusal)
        if scope["type"] == "websocket":
            return await self._connected(scope, receive, send)
        bounded = _bounded(receive, _most_bytes(scope))
        try:
            await self._app(scope, bounded, _with_headers(scope, send))
        except TooMuch:
            await _refuse(scope, send, _too_large(scope))
        return None

    async def _connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        if self._open.total() >= CONNECTIONS or self._open[address] >= CONNECTIONS_EACH:
            return await _refuse(scope, send, Refusal(429, "there are too many connections; try again later"))
        self._open[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
        return None

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            raise Refusal(421, "this server has another name; open the address that it printed")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes:
            self._check_origin(headers, host)
            if scope["type"] == "http" and not self._requests.allows(address_of(scope)):
                raise Refusal(429, "too many requests from this address; wait a second")
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size[:12]) > _most_bytes(scope):
            raise _too_large(scope)
        if self._settings.token is not None and not scope["path"].startswith(OPEN_TO_ALL):
            self._check_token(scope, headers)

    def _is_ours(self, host: str) -> bool:
        """Addresses in numbers cannot be bent to another machine's; names must be known."""
        try:
            name = urlsplit(f"//{host}").hostname if host and "@" not in host and "/" not in host else None
        except ValueError:  # a bracket that is not closed
            return False
        if name is None:
            return False
        if name in ("localhost", self._settings.host.lower(), *(known.lower() for known in self._settings.names)):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._settings.local

    def _check_origin(self, headers: dict[str, str], host: str) -> None:
        """Programs send no Origin; browsers do for everything that another page could make them send."""
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise Refusal(403, "this request comes from another page")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Refusal(403, "this request comes from another page")

    def _check_token(self, scope: Scope, headers: dict[str, str]) -> None:
        bearer = _bearer(headers)
        right = self.knows(_cookie(headers)) if bearer is None else self.joins(address_of(scope), bearer)
        if right:
            return
        if right is None:
            raise Refusal(429, "too many wrong tokens from this address; wait a minute")
        if scope["type"] == "http" and scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            raise Refusal(303, "/join")
        raise Refusal(401, "a join token is needed: open /join, or send `Authorization: Bearer TOKEN`")

    def knows(self, given: str) -> bool:
        """Whether this is the join token; the time that it takes does not tell how much of it is right."""
        token = self._settings.token
        return token is None or hmac.compare_digest(given.encode(), token.encode())

    def joins(self, address: str, given: str) -> bool | None:
        """Whether this is the token; None if it is not and this address has tried too often.

        The right one always opens: a class behind one router has one address, and 59 bits are not guessed.
        """
        if self.knows(given):
            return True
        return False if self._tries.allows(address) else None


def _bearer(headers: dict[str, str]) -> str | None:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def _cookie(headers: dict[str, str]) -> str:
    """Ours among those that others set for the same host, which may be of any form."""
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value.strip('"')
    return ""


def address_of(scope: Scope) -> str:
    """Returns the address that a request or WebSocket comes from. Limits and turns go by it."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def _most_bytes(scope: Scope) -> int:
    return JOIN_BYTES if scope["path"] == "/join" else BODY_BYTES


def _too_large(scope: Scope) -> Refusal:
    return Refusal(413, f"a request is at most {_most_bytes(scope) >> 10} KB here")


def _bounded(receive: Receive, most: int) -> Receive:
    """No more of a body is read than is allowed, whatever its head announced."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise TooMuch
        return message

    return bounded


def _security_headers(path: str) -> list[tuple[bytes, bytes]]:
    framed = path == FRAMED
    told = {
        "content-security-policy": _POLICY + ("*" if framed else "'none'"),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
        "cross-origin-opener-policy": "same-origin",
    }
    if not framed:
        told |= {"x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin"}
    return [(name.encode(), value.encode()) for name, value in told.items()]


def _with_headers(scope: Scope, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_security_headers(scope["path"])]
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        # Before it is accepted, this is an HTTP answer 403.
        return await send({"type": "websocket.close", "code": 1008, "reason": refusal.text})
    body = json.dumps({"error": refusal.text}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status == 303:
        body, headers = b"", [(b"location", refusal.text.encode()), (b"content-length", b"0")]
    headers += _security_headers(scope["path"])
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    return None
