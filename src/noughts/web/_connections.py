"""Connections before anything is asked on them: so many in all and from one address, and each asks soon.

A connection that sends nothing, or a request a byte a minute, costs a descriptor; without bounds, a few thousand of
them keep everybody else out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from noughts.web._settings import BODY_SECONDS, CONNECTIONS, DESCRIPTORS_SPARE, LINES, REQUEST_SECONDS

LEAST_LINES = 64


def most_descriptors() -> int:
    """Takes all that the system allows this process, and says how many that are."""
    try:
        import resource
    except ImportError:  # not a POSIX system, which has no such limit
        return LINES + CONNECTIONS + DESCRIPTORS_SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return LINES + CONNECTIONS + DESCRIPTORS_SPARE if soft == resource.RLIM_INFINITY else soft


class Door:
    """Who is connected, by address. descriptors: that the process may have, for everything."""

    def __init__(self, descriptors: int) -> None:
        self._most = min(LINES, max(LEAST_LINES, descriptors - CONNECTIONS - DESCRIPTORS_SPARE))
        self.open: Counter[str] = Counter()

    def enters(self, address: str) -> bool:
        """Counts one more; False, and nothing counted, if there are too many."""
        if self.open.total() >= self._most or self.open[address] >= self._most * 3 // 4:
            return False
        self.open[address] += 1
        return True

    def leaves(self, address: str) -> None:
        self.open[address] -= 1
        if not self.open[address]:
            del self.open[address]


class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's own protocol, with these bounds."""

    door: Door
    _address: str | None = None
    _waiting: asyncio.TimerHandle | None = None
    _whole: object = None
    """The latest request that has come whole."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else "?"
        if not self.door.enters(address):
            transport.abort()
            return
        self._address = address
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:
            self._wait()
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, *event: Any) -> None:
        """From here on the guard counts it; `connection_lost` is the other protocol's."""
        self._leave()
        super().handle_websocket_upgrade(*event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self._later(REQUEST_SECONDS, self._late)

    def _later(self, seconds: float, work: Callable[[], object]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, work)

    def _late(self) -> None:
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:  # the server's turn, or a body on a slow line
            later = (BODY_SECONDS, self.transport.abort) if cycle.more_body else (REQUEST_SECONDS, self._late)
            self._waiting = self._later(*later)
        else:
            self.transport.abort()

    def _look(self) -> None:
        """Whether a request has come whole; what the answer takes is the server's time, not the client's."""
        if self.cycle is not None and self.cycle is not self._whole and not self.cycle.more_body:
            self._whole = self.cycle
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _leave(self) -> None:
        self._stop_waiting()
        if self._address is not None:
            self.door.leaves(self._address)
            self._address = None


def bounded_protocol(door: Door) -> type[asyncio.Protocol]:
    """For `uvicorn.Config(http=...)`."""
    return type("BoundedProtocol", (Bounded,), {"door": door})
