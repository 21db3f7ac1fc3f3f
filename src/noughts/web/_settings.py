"""What the operator chose when the server was started, and the limits on everybody else."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

PORT = 8765

# Limits, chosen so that a class of 200 on one machine never meets them and one hostile client cannot fill it.
OPEN_GAMES = 2000
"""Games in memory. Those that nobody looks at are put away first; they stay in the file."""
KEPT_DAYS = 30
CONNECTIONS = 1000
CONNECTIONS_EACH = 400
"""From one address: a class behind one router has one."""
LINES = 2000
"""Connections that are no WebSockets; three quarters of them may come from one address."""
REQUEST_SECONDS, BODY_SECONDS = 10.0, 60.0
"""For a whole request from its first byte or the connection's beginning, and for its body if the head is there."""
DESCRIPTORS_SPARE = 200
"""For files, threads' pipes and bots, when connections are bounded by what the system allows."""
MESSAGE_BYTES = 8192
"""Maximum size of a WebSocket message."""
BODY_BYTES = 4 << 20
"""Maximum size of a request: a replay with prints."""
JOIN_BYTES = 1 << 10
"""Maximum size of a request to join, which needs no token."""
MESSAGES_A_SECOND, MESSAGE_BURST = 20.0, 60.0
REQUESTS_A_SECOND, REQUEST_BURST = 50.0, 400.0
"""From one address, for what changes something."""
TRIES_A_MINUTE = 10
"""Wrong join tokens from one address."""
SEND_SECONDS = 10.0
"""A client that takes no message for so long is let go; it gets everything again when it comes back."""
NAME_LENGTH = 40
THINKING_SECONDS = 1.0
"""The most that an opponent thinks about a move."""
ANALYSIS_SECONDS = (2.0, 10.0, 30.0)
"""What can be asked for."""
MOST_LINES = 5
ANALYSES_WAITING = 400
"""Analyses that one address may have in the queue; those of other addresses do not wait behind them."""
UPLOADS_KEPT = 100
UPLOADS_BYTES = 64 << 20
"""Maximum size of all uploads together, compressed."""
GIFS_WAITING, GIFS_KEPT = 8, 8
"""GIFs take seconds and are made one after the other; the latest are kept."""
EXPORTS_A_SECOND, EXPORT_BURST = 5.0, 60.0
"""Files of games, from one address."""
BOTS_KEPT = 20
BOT_BYTES = 256 << 10
BOT_SECONDS, BOT_LOAD_SECONDS, BOT_MEMORY = 2.0, 5.0, 512 << 20
"""What a bot that was sent may use for a move, to load, and of memory."""
BOTS_RUNNING = 4
"""Processes of bots at once; the one that has not moved for longest makes room."""
BOT_LEFT_SECONDS = 600.0
"""A bot is kept while somebody looks at its game, or for so long after the last move."""

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else


def new_token() -> str:
    """A join token that can be read out and typed: 12 letters and digits, 59 bits."""
    drawn = "".join(secrets.choice(_ALPHABET) for _ in range(12))
    return "-".join(drawn[i : i + 4] for i in range(0, 12, 4))


def games_file() -> Path:
    """Where games are kept unless the operator names another file."""
    return Path(platformdirs.user_data_dir("noughts", appauthor=False)) / "page.sqlite"


@dataclass(frozen=True)
class Settings:
    """host, port: where to listen. token: without it nobody gets in, None on this machine only. games: the file of
    games. tournaments: files to replay and to watch. players: trusted players of the operator, {name: text}. names:
    further names that the server is reached by. workers: threads that think. uploads: whether bots may be sent.
    spare: whether a temporary file of games will do where another server uses `games`.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None
    games: Path = field(default_factory=games_file)
    tournaments: tuple[Path, ...] = ()
    players: dict[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    workers: int = 2
    uploads: bool = False
    spare: bool = False

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in ("127.0.0.1", "::1", "localhost")
