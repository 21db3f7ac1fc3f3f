"""What the operator chose when the server was started, and sizes and times that bound everybody else.

`_quotas` has what each client may ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from noughts.web._members import Members, SignOn

PORT = 8765

# Limits, chosen so that a class of 200 on one machine never meets them and one hostile client cannot fill it.
OPEN_GAMES = 2000
"""Games in memory. Those that nobody looks at are put away first; they stay in the file."""
KEPT_DAYS = 30
LINES = 2000
"""Connections that are no WebSockets."""
REQUEST_SECONDS, BODY_SECONDS = 10.0, 60.0
"""A connection is ended if it sends no head of a request in the first, counted from its beginning or from the first
byte of another request; a body that is not complete by then has the second on top."""
DESCRIPTORS_SPARE = 200
"""For files, threads' pipes and bots, when connections are bounded by what the system allows."""
MESSAGE_BYTES = 8192
"""Maximum size of a WebSocket message."""
BODY_BYTES = 4 << 20
"""Maximum size of a request: a replay with prints."""
JOIN_BYTES = 1 << 10
"""Maximum size of a request to join, which everybody may send."""
MESSAGES_A_SECOND, MESSAGE_BURST = 20.0, 60.0
"""On one WebSocket."""
TRIES_A_MINUTE = 10
"""Wrong tokens from one address."""
SEND_SECONDS = 10.0
"""A client that reads nothing for this long is disconnected; it gets everything again when it comes back."""
NAME_LENGTH = 40
THINKING_SECONDS = 1.0
"""The most that an opponent thinks about a move."""
ANALYSIS_SECONDS = (2.0, 10.0, 30.0)
"""What can be asked for."""
MOST_LINES = 5
GIFS_KEPT = 8
"""GIFs take seconds; the latest are kept."""
BOT_BYTES = 256 << 10
BOT_SECONDS, BOT_LOAD_SECONDS, BOT_MEMORY = 2.0, 5.0, 512 << 20
"""What an uploaded bot may use for a move, to load, and of memory."""
UPLOADED = "bot:"
"""How the names of uploaded bots begin; the rest is known to the uploader alone."""
BOTS_RUNNING = 4
"""Processes of bots at once; the one that has not moved for longest makes room."""
BOT_LEFT_SECONDS = 600.0
"""A bot is kept while somebody looks at its game, or for this long after the last move."""


def games_file() -> Path:
    """Where games are kept unless the operator names another file."""
    return Path(platformdirs.user_data_dir("noughts", appauthor=False)) / "page.sqlite"


@dataclass(frozen=True)
class Settings:
    """host, port: where to listen. token: the one that everybody needs, None on this machine only. games: the file of
    games. tournaments: files to replay and to watch. players: trusted players of the operator by the names
    that clients choose, each a name of the command line or an object. names:
    further names that the server is reached by. workers: threads that think. uploads: whether bots may be sent.
    spare: whether a temporary file of games will do where another server uses `games`. members: who has which token,
    in place of `token`. proxies: addresses of proxies, whose X-Forwarded-For and -Proto are believed.
    open_paths: how addresses begin that everybody may see without a token. sign_on: single sign-on by a proxy.
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

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server, and nobody needs a token."""
        known = self.token is not None or self.members is not None
        return self.host in ("127.0.0.1", "::1", "localhost") and not self.proxies and not known
