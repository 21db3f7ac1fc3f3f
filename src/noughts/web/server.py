"""Starts the server: one process, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread, Timer
from typing import Any

from noughts.files import BusyError
from noughts.players import make_player
from noughts.players.protocol import player_name
from noughts.web._settings import MESSAGE_BYTES, Settings

try:
    import uvicorn
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    from noughts.web._app import make_app
    from noughts.web._connections import ConnectionLimit, bounded_protocol, most_descriptors
    from noughts.web._engines import listed_opponents
    from noughts.web._guard import KeepPeer
    from noughts.web._ladder import LadderService as LadderService
    from noughts.web._tables import GamesFile
    from noughts.web._watching import MatchSource
except ImportError as _error:
    raise ImportError(
        f"the page needs the packages fastapi and uvicorn with websockets, and {_error.name} is not installed: "
        "pip install fastapi uvicorn websockets"
    ) from None

EXIT_SECONDS = 2
SWITCH_SECONDS = 0.001
"""Seconds after which a computing thread yields to the event loop: a fifth of Python's default."""


def listening_socket(settings: Settings) -> socket.socket:
    """Returns a bound socket. Raises ValueError if the port is taken; port 0 takes any free one."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the socket names its protocol; without it, the second part of a response waits 40
    # ms.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # On Windows SO_REUSEADDR lets a second server take the port of the first.
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR if alone is None else alone, 1)
    try:
        bound.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        bound.close()
        why = getattr(error, "strerror", None) or error
        raise ValueError(
            f"cannot listen on {settings.host} port {settings.port} ({why}); choose another with --port N, or any "
            "free one with --port 0"
        ) from None
    return bound


def _games(settings: Settings) -> GamesFile:
    """Opens the file of games, before the page is announced."""
    try:
        return GamesFile(settings.games)
    except BusyError:
        if not settings.spare:
            raise
    path = Path(tempfile.mkdtemp(prefix="noughts-")) / settings.games.name
    print(f"another server uses {settings.games}, so games of this page are kept in {path}", file=sys.stderr)
    return GamesFile(path)


def serve(
    settings: Settings | None = None,
    ready: Callable[[int], None] | None = None,
    watched: MatchSource | None = None,
    ladder: LadderService | None = None,
    seconds: float | None = None,
    *,
    players: Iterable[object] = (),
) -> None:
    """Serves the page until stopped; from a notebook, in a thread beside it.

    settings: by default for this machine alone. ready: called with the port once the server listens; by default prints
    the address. watched: a match of this process. ladder: a ladder to play meanwhile. seconds: time after which the
    server stops. players: additional opponents, each a name or an object with choose(state, clock). Only one thread at
    a time asks an object.
    """
    settings = Settings(spare=True) if settings is None else settings
    settings = replace(settings, players=_with(settings.players, players))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _serve(settings, ready, watched, ladder, seconds)
    else:  # a notebook's kernel
        Thread(target=_serve, args=(settings, ready, watched, ladder, seconds), daemon=True).start()


def _with(known: Mapping[str, object], players: Iterable[object]) -> dict[str, object]:
    """Returns players by the names that clients choose; a name that is taken gets a number."""
    named = dict(known)
    for player in players:
        title = player if isinstance(player, str) else player_name(player)
        make_player(player)  # refuses objects that cannot choose, with the reason
        name, count = title, 2
        while name in listed_opponents(named):
            name, count = f"{title} ({count})", count + 1
        named[name] = player
    return named


def behind_proxies(app: Any, proxies: Sequence[str]) -> Any:
    """Returns an application that trusts a proxy's headers about its clients, from these proxies only."""
    return KeepPeer(ProxyHeadersMiddleware(app, list(proxies))) if proxies else app  # type: ignore[arg-type]


def _serve(
    settings: Settings,
    ready: Callable[[int], None] | None,
    watched: MatchSource | None,
    ladder: LadderService | None,
    seconds: float | None,
) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    with contextlib.closing(listening_socket(settings)) as bound, contextlib.closing(_games(settings)) as games:
        app = behind_proxies(make_app(settings, watched, games, ladder), settings.proxies)
        config = uvicorn.Config(
            app,
            http=bounded_protocol(ConnectionLimit(most_descriptors(), settings.proxies)),
            log_level="warning",
            access_log=False,  # addresses of games and their watchers are private
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=MESSAGE_BYTES,
            timeout_graceful_shutdown=EXIT_SECONDS,
            lifespan="on",
        )
        server = uvicorn.Server(config)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        bound.listen(1024)
        port = bound.getsockname()[1]
        if ready is None:
            print(f"noughts is served at http://{settings.host}:{port}/", flush=True)
        else:
            ready(port)
        if seconds is not None:
            timer = Timer(seconds, lambda: setattr(server, "should_exit", True))
            timer.daemon = True
            timer.start()
        server.run(sockets=[bound])
