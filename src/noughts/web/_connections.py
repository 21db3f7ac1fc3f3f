"""Limits connections without a request: in total, for each address, and in time.

A connection that sends nothing, or a byte a minute, costs a descriptor; without limits, a few thousand of them shut out
everyone else. When all are taken, the address with most connections loses one to an address with fewer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from noughts.web._members import by_address, plain_address
from noughts.web._quotas import ADDRESS_SHARE, MOST_OF_ALL, MOST_SOCKETS, Busy, Share
from noughts.web._settings import BODY_SECONDS, DESCRIPTORS_SPARE, LINES, REQUEST_SECONDS

LEAST_LINES = 64


def most_descriptors() -> int:
    """Raises this process's limit of descriptors to the maximum, and returns it."""
    try:
        import resource
    except ImportError:  # not a POSIX system, which has no such limit
        return LINES + MOST_SOCKETS + DESCRIPTORS_SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return LINES + MOST_SOCKETS + DESCRIPTORS_SPARE if soft == resource.RLIM_INFINITY else soft


class ConnectionLimit:
    """Limits connections other than WebSockets. descriptors: total descriptors of the process. proxies: addresses
    without a limit, since all clients come from there.
    """

    def __init__(self, descriptors: int, proxies: Collection[str] = ()) -> None:
        most = min(LINES, max(LEAST_LINES, descriptors - MOST_SOCKETS - DESCRIPTORS_SPARE))
        self.share = Share("connections", int(most * MOST_OF_ALL) // ADDRESS_SHARE, most)
        self._proxies = frozenset(proxies)
        self._open: dict[str, dict[Bounded, None]] = {}
        """Connections by the key of their address, oldest first."""

    def enter(self, connection: Bounded, address: str) -> str | None:
        """Counts a connection. Returns the key that it counts for; None if there is no room."""
        member = by_address(address)
        if address not in self._proxies:
            try:
                giver = self.share.take(member)
            except Busy:
                return None
            if giver is not None:
                idle = (each for each in self._open[giver] if each.is_waiting)
                next(idle, next(iter(self._open[giver]))).drop()
            self._open.setdefault(member.key, {})[connection] = None
        return member.key

    def leave(self, connection: Bounded, key: str) -> None:
        known = self._open.get(key, {})
        if connection in known:
            del known[connection]
            self.share.give(key)
        if not known:
            self._open.pop(key, None)


class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol with these limits."""

    limit: ConnectionLimit
    _key: str | None = None
    _waiting: asyncio.TimerHandle | None = None
    _whole: object = None
    """The latest complete request."""

    @property
    def is_waiting(self) -> bool:
        """Whether the server waits for a request, or the rest of one."""
        return self._waiting is not None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self._key = self.limit.enter(self, plain_address(str(peer[0])) if peer else "?")
        if self._key is None:
            transport.abort()
        else:
            self._wait()

    def drop(self) -> None:
        """Closes the connection, to make room for another."""
        self._leave()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:
            self._wait()
        super().data_received(data)
        self._stop_if_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._stop_if_complete()

    def handle_websocket_upgrade(self, *event: Any) -> None:
        """Hands the connection over; from here on the guard counts it."""
        self._leave()
        super().handle_websocket_upgrade(*event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self._call_later(REQUEST_SECONDS, self._late)

    def _call_later(self, seconds: float, work: Callable[[], object]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, work)

    def _late(self) -> None:
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:  # the server is working, or a body arrives slowly
            later = (BODY_SECONDS, self.transport.abort) if cycle.more_body else (REQUEST_SECONDS, self._late)
            self._waiting = self._call_later(*later)
        else:
            self.transport.abort()

    def _stop_if_complete(self) -> None:
        """Stops the client's clock once a request is complete; the response takes the server's time."""
        if self.cycle is not None and self.cycle is not self._whole and not self.cycle.more_body:
            self._whole = self.cycle
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _leave(self) -> None:
        self._stop_waiting()
        if self._key is not None:
            self.limit.leave(self, self._key)
            self._key = None


def bounded_protocol(limit: ConnectionLimit) -> type[asyncio.Protocol]:
    """Returns the class for `uvicorn.Config(http=...)`."""
    return type("BoundedProtocol", (Bounded,), {"limit": limit})
