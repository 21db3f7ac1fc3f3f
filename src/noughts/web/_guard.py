"""Checks every request before anything else: a layer around the whole application.

    Host       must be this server's, so that no other page can reach it under its own name (DNS rebinding)
    Origin     must be this server's for changes and WebSockets, if a browser sends it
    token      needed if other machines can reach the server; it identifies a `Member`
    sign-on    instead of a token, a proxy identifies the user in a header, which is refused from others
    cookie     holds the token in a browser; over HTTPS no other host and no page without HTTPS can set it (__Host-)
    sizes, requests, WebSockets    limited for each member, or for each address if members are unknown

Each response gets headers that forbid what the page does not need: scripts and styles other than its own files, framing
except for /embed, guessing of types, and copies in caches, since almost every answer depends on the token.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import HTTPException

from noughts.tournaments.visibility import PUBLIC, STAFF
from noughts.web._members import SECRET_HEADER, Member, by_address, plain_address, shared_token, token_hash
from noughts.web._quotas import Busy, Quotas, Rate
from noughts.web._settings import BODY_BYTES, JOIN_BYTES, TRIES_A_MINUTE, Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_COOKIE = "noughts_join"
PEER, WRONG_COOKIE = "noughts.peer", "noughts.wrong_cookie"
"""Names in the scope of a request: the address of its connection, and whether to delete its cookie."""
OPEN_TO_ALL = ("/join", "/static/")
"""Paths whose answer no token changes, so that none is looked up: the page that asks for one, which counts those it
gets, and files without secrets. Their requests count for the address.
"""
FRAMED = "/embed"
REASON_LENGTH = 120
"""Maximum length of the reason that a WebSocket closes with, which has room for 123 bytes."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
NOT_STORED = (b"cache-control", b"no-store")

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors "
)


class Refusal(HTTPException):
    """Why a request is refused; the application answers those that it meets while it reads a body."""


class Guard:
    """The application behind the guard. quotas: the limits of each member."""

    def __init__(self, app: App, settings: Settings, quotas: Quotas) -> None:
        self._app, self._settings, self._quotas = app, settings, quotas
        self._members = settings.members or (shared_token(settings.token) if settings.token is not None else None)
        self._tries = Rate(TRIES_A_MINUTE / 600, TRIES_A_MINUTE / 10)
        self._sockets: dict[str, list[asyncio.Future[None]]] = {}
        """WebSockets by the key of their member, oldest first."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            scope["member"] = self._check(scope, headers)
            if scope["type"] == "websocket":
                return await self._serve_socket(scope, receive, send)
        except Refusal as refusal:
            return await _refuse(scope, send, refusal)
        except Busy as busy:
            return await _refuse(scope, send, Refusal(429, str(busy)))
        return await self._app(scope, _bounded(scope, receive), _with_headers(scope, send))

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a WebSocket until its end. It ends early if there is no room and its member has most WebSockets."""
        key = scope["member"].key
        giver = self._quotas.sockets.take(scope["member"])
        if giver is not None:
            self._sockets[giver][0].cancel("make room")
        running = asyncio.ensure_future(self._app(scope, receive, send))
        self._sockets.setdefault(key, []).append(running)
        try:
            await running
        except asyncio.CancelledError as cancelled:
            if cancelled.args != ("make room",):
                raise
            with suppress(RuntimeError):  # already closed
                await send({"type": "websocket.close", "code": 1013, "reason": "the server is full"})
        finally:
            self._quotas.sockets.give(key)
            self._sockets[key].remove(running)
            if not self._sockets[key]:
                del self._sockets[key]
        return

    def _check(self, scope: Scope, headers: dict[str, str]) -> Member:
        """Returns the member who sent a request. Raises Refusal or Busy if the request is refused."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            raise Refusal(421, "this server has another name; open the address that it printed")
        if scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS:
            self._check_origin(headers, host)
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size[:12]) > _most_bytes(scope):
            raise _too_large(scope)
        stranger, token = by_address(address_of(scope)), _token(scope, headers)
        is_open = scope["path"].startswith(OPEN_TO_ALL)
        member = None if is_open else self.sender(scope, headers)
        if scope["type"] == "http":
            self._quotas.requests.take(member or stranger)
        if is_open:
            return stranger
        if member is not None:
            return member
        scope[WRONG_COOKIE] = bool(_cookie(scope, headers))
        if token and not self.may_try(scope):
            raise Refusal(429, "too many wrong tokens from this address; wait a minute")
        if scope["path"].startswith(self._settings.open_paths):
            return stranger
        raise self._refusal(scope, headers, token)

    def sender(self, scope: Scope, headers: Mapping[str, str]) -> Member | None:
        """Returns the member that a request names by single sign-on, a token or a cookie; None if it names none.

        Raises Refusal if only a proxy may name the user so.
        """
        return self._signed_on(scope, headers) or self.member(scope, _token(scope, headers))

    def _signed_on(self, scope: Scope, headers: Mapping[str, str]) -> Member | None:
        """Returns the user that the proxy names. Raises Refusal if the header comes from elsewhere, or twice."""
        sign_on = self._settings.sign_on
        if sign_on is None or sign_on.header not in headers:
            return None
        if peer_of(scope) not in self._settings.proxies:
            raise Refusal(403, f"only the proxy of this server may send the header {sign_on.header}")
        names = [name.decode("latin-1").lower() for name, _ in scope["headers"]]
        for header in (sign_on.header, SECRET_HEADER):
            if names.count(header) > 1:
                raise Refusal(400, f"the header {header} came twice; configure the proxy to replace it")
        if not hmac.compare_digest(headers.get(SECRET_HEADER, "").encode(), sign_on.secret.encode()) and sign_on.secret:
            raise Refusal(403, f"the proxy must send its secret in the header {SECRET_HEADER} (--sign-on-secret)")
        user = headers[sign_on.header].strip()
        with suppress(UnicodeDecodeError):
            user = user.encode("latin-1").decode()
        return sign_on.find(user) if user else None

    def _is_ours(self, host: str) -> bool:
        """Returns whether a Host is this server's. IP addresses cannot be rebound to another machine; names must be
        known.
        """
        name = _host_name(host)
        if not name:
            return False
        if name in ("localhost", self._settings.host.lower(), *map(_host_name, self._settings.names)):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._settings.local

    def _check_origin(self, headers: dict[str, str], host: str) -> None:
        """Refuses requests that another page made a browser send. Browsers then send an Origin; programs do not."""
        origin, ours = headers.get("origin"), [host]
        if self._settings.proxies:  # a proxy may send its own name for this server as Host, as nginx does
            ours += self._settings.names
        if origin is not None and not any(
            origin.lower() == f"{kind}://{name}".lower() for kind in ("http", "https") for name in ours
        ):
            raise Refusal(403, "this request comes from another page")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Refusal(403, "this request comes from another page")

    def member(self, scope: Scope, token: str) -> Member | None:
        """Returns the member with this token; None if it is unknown. On this machine no token is needed."""
        address = address_of(scope)
        if self._members is None:
            return by_address(address, STAFF if self._settings.local else PUBLIC)
        found = self._members(token_hash(token)) if token else None
        return by_address(address, found.visibility) if found is not None and found.shared else found

    def may_try(self, scope: Scope) -> bool:
        """Counts a wrong token. Returns False after too many attempts from its address.

        A right token always works, because a class behind one router has one address, and 59 bits cannot be guessed.
        """
        return self._tries.allows(by_address(address_of(scope)))

    def _refusal(self, scope: Scope, headers: dict[str, str], token: str) -> Refusal:
        """Returns the response to a request without a token, or with a wrong one."""
        if scope["type"] == "http" and scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            query = scope.get("query_string", b"").decode("latin-1")
            wanted = scope["path"] + (f"?{query}" if query else "")
            return Refusal(303, f"/join?to={quote(wanted, safe='')}")
        if token:
            return Refusal(
                401, "this server does not know that token; ask for a new link, or enter another token at /join"
            )
        return Refusal(401, "a join token is needed: open /join, or send `Authorization: Bearer TOKEN`")


def _host_name(host: str) -> str:
    """Returns a host without its port, in lower case; '' if it is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or "" if "@" not in host and "/" not in host else ""
    except ValueError:  # unclosed bracket
        return ""


def _token(scope: Scope, headers: Mapping[str, str]) -> str:
    """Returns the token in the header of a request, else in its cookie; '' if there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return (token.strip() if scheme.lower() == "bearer" else "") or _cookie(scope, headers)


def is_secure(scope: Scope) -> bool:
    """Returns whether a request came by HTTPS, to this server or to its proxy."""
    return scope["scheme"] in ("https", "wss")


def cookie_name(scope: Scope) -> str:
    """Returns the name of our cookie. Browsers accept names with __Host- only by HTTPS and from the host itself."""
    return f"__Host-{_COOKIE}" if is_secure(scope) else _COOKIE


def _cookie(scope: Scope, headers: Mapping[str, str]) -> str:
    """Returns our cookie among those of others for the same host, which may have any form."""
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == cookie_name(scope):
            return value.strip('"')
    return ""


def _without_cookie(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Returns the header that deletes our cookie, if its token is wrong."""
    if not scope.get(WRONG_COOKIE):
        return []
    secure = "; Secure" if is_secure(scope) else ""
    return [(b"set-cookie", f"{cookie_name(scope)}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax{secure}".encode())]


def address_of(scope: Scope) -> str:
    """Returns the client address of a request or a WebSocket."""
    client = scope.get("client")
    return plain_address(str(client[0])) if client else "?"


def peer_of(scope: Scope) -> str:
    """Returns the address of the connection itself, regardless of a proxy's headers."""
    return str(scope.get(PEER, address_of(scope)))


class KeepPeer:
    """An application that keeps the address of the connection in the scope, before a proxy's headers replace it.

    What follows compares the address with those of proxies, so it is in its usual form.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        await self._app({**scope, PEER: address, "client": (address, 0)}, receive, send)


def _most_bytes(scope: Scope) -> int:
    return JOIN_BYTES if scope["path"] == "/join" else BODY_BYTES


def _too_large(scope: Scope) -> Refusal:
    return Refusal(413, f"a request here must have at most {_most_bytes(scope) >> 10} KB")


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """Reads at most the allowed bytes of a body, whatever its header announced. Raises Refusal after more."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > _most_bytes(scope):
            raise _too_large(scope)
        return message

    return bounded


def _security_headers(path: str) -> list[tuple[bytes, bytes]]:
    framed = path == FRAMED
    headers = {
        "content-security-policy": _POLICY + ("*" if framed else "'none'"),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
        "cross-origin-opener-policy": "same-origin",
    }
    if not framed:
        headers |= {"x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin"}
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _with_headers(scope: Scope, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*_without_cookie(scope), *message.get("headers", []), *_security_headers(scope["path"])]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append(NOT_STORED)
            message["headers"] = headers
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        # Before acceptance this would be an HTTP response 403, whose text scripts cannot read. So members who are
        # refused for now are accepted first and read the reason in the close.
        if refusal.status_code == 429:
            await send({"type": "websocket.accept"})
        code = 1013 if refusal.status_code == 429 else 1008
        return await send({"type": "websocket.close", "code": code, "reason": refusal.detail[:REASON_LENGTH]})
    body = json.dumps({"error": refusal.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status_code == 303:
        headers, body = [(b"location", refusal.detail.encode()), (b"content-length", b"0")], b""
    headers += [*_without_cookie(scope), *_security_headers(scope["path"]), NOT_STORED]
    await send({"type": "http.response.start", "status": refusal.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    return None
