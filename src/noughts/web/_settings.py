"""The operator's settings, and limits of sizes and times for clients.

`_quotas` limits the requests of each client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from noughts.web._members import Members, SignOn, plain_address

PORT = 8765

# Limits, chosen so that a class of 200 does not reach them and a hostile client cannot fill the server.
OPEN_GAMES = 2000
"""Maximum games in memory. Unwatched games are dropped first; they stay in the file."""
KEPT_DAYS = 30
LINES = 2000
"""Maximum connections other than WebSockets."""
REQUEST_SECONDS, BODY_SECONDS = 10.0, 60.0
"""Seconds for a client to send the head of a request, counted from the start of the connection or the first byte of
the request; and additional seconds for the body.
"""
DESCRIPTORS_SPARE = 200
"""Descriptors reserved for files, threads' pipes and bots, if the system's limit bounds the connections."""
MESSAGE_BYTES = 8192
"""Maximum size of a WebSocket message."""
BODY_BYTES = 4 << 20
"""Maximum size of a request: a replay with prints."""
JOIN_BYTES = 1 << 10
"""Maximum size of a request to join, which needs no token."""
MESSAGES_A_SECOND, MESSAGE_BURST = 20.0, 60.0
"""Messages per second on a WebSocket."""
TRIES_A_MINUTE = 10
"""Maximum wrong tokens from one address."""
SEND_SECONDS = 10.0
"""Seconds without reading after which a client is disconnected; it gets the whole state again when it reconnects."""
NAME_LENGTH = 40
THINKING_SECONDS = 1.0
"""Maximum seconds of an opponent for a move."""
ANALYSIS_SECONDS = (2.0, 10.0, 30.0)
"""Choices for the length of an analysis."""
MOST_LINES = 5
GIFS_KEPT = 8
"""Number of cached GIFs, which take seconds to make."""
BOT_BYTES = 256 << 10
BOT_SECONDS, BOT_LOAD_SECONDS, BOT_MEMORY = 2.0, 5.0, 512 << 20
"""Limits of an uploaded bot: time for a move, time to load, memory."""
UPLOADED = "bot:"
"""Prefix of the names of uploaded bots; only the uploader knows the rest."""
BOTS_RUNNING = 4
"""Maximum processes of bots; the one that has been idle for longest makes room."""
BOT_LEFT_SECONDS = 600.0
"""Seconds after the last move for which a bot is kept if its game is not watched."""


def games_file() -> Path:
    """Returns the default file of games."""
    return Path(platformdirs.user_data_dir("noughts", appauthor=False)) / "page.sqlite"


@dataclass(frozen=True)
class Settings:
    """The settings of a server. host, port: where to listen. token: the shared token, None for this machine only.
    games: the file of games. tournaments: files to replay and to watch. players: the operator's trusted players by
    their displayed names, each a name of the command line or an object. names: public host names. workers: threads
    for searches. uploads: whether clients may upload bots. spare: whether to use a temporary file if another server
    uses `games`. members: members by token, instead of `token`. proxies: addresses of proxies whose X-Forwarded-For
    and -Proto are trusted. open_paths: prefixes of addresses that need no token. sign_on: single sign-on by a
    proxy.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None
    games: Path = field(default_factory=games_file)
    tournaments: tuple[Path, ...] = ()
    players: Mapping[str, object] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    workers: int = 2
    uploads: bool = False
    spare: bool = False
    members: Members | None = None
    proxies: tuple[str, ...] = ()
    open_paths: tuple[str, ...] = ()
    sign_on: SignOn | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "proxies", tuple(map(plain_address, self.proxies)))

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server, so that no token is needed."""
        known = self.token is not None or self.members is not None
        return self.host in ("127.0.0.1", "::1", "localhost") and not self.proxies and not known
