"""The services behind the interface: games, opponents, analyses, files, and a thread pool for each kind of work."""

from __future__ import annotations

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from noughts.matches.record import GameRecord
from noughts.tournaments.visibility import PUBLIC, STAFF, Visibility
from noughts.web._analysis import Analyst
from noughts.web._archive import GameArchive
from noughts.web._engines import Engines
from noughts.web._exports import Exports
from noughts.web._fair_pool import FairThreadPool
from noughts.web._ladder import LadderService
from noughts.web._members import Member
from noughts.web._quotas import Quotas
from noughts.web._settings import Settings
from noughts.web._tables import GamesFile, Tables
from noughts.web._watching import LEAST_SECONDS, LiveFeed, MatchSource, Source, TournamentSource

MATCH = -1
"""Stands for the match of this process, in place of a file's number."""
FILE_THREADS = 2
LADDER_SECONDS = 2.0
"""Seconds between two updates of a ladder: its board has hundreds of rows, and as many watchers."""


def services_of(connection: HTTPConnection) -> Services:
    """Returns the services of the server that got a request or a WebSocket."""
    found: Services = connection.app.state.services
    return found


class Services:
    """All services of a server. quotas: for all clients. watched: the match of this process, if any. uploads: whether
    bots are accepted. ladder: the ladder of this server, if any.

    Pools: `positions` for work of milliseconds, `files` for tournament files, `parsing` for uploads. Opponents, bots,
    analyses and GIFs have their own pools.
    """

    def __init__(
        self,
        settings: Settings,
        quotas: Quotas,
        games: GamesFile,
        watched: MatchSource | None,
        ladder: LadderService | None = None,
    ) -> None:
        self.quotas, self.watched, self.uploads, self.ladder = quotas, watched, settings.uploads, ladder
        self.engines = Engines(settings.players, settings.workers, quotas)
        self.analyst = Analyst(settings.workers, quotas)
        self.tables = Tables(games, self.engines, settings.local)
        self.archive = GameArchive(
            settings.tournaments, quotas.upload_bytes, {} if ladder is None else {ladder.path: ladder.file}
        )
        self.positions = FairThreadPool(1, "positions", quotas.positions)
        self.files = FairThreadPool(FILE_THREADS, "files", quotas.files)
        self.parsing = FairThreadPool(1, "parsing", quotas.parsing)
        self.exports = Exports(quotas, self.positions)
        self._feeds: dict[tuple[int, str, Visibility], LiveFeed] = {}

    def close(self) -> None:
        for part in (self.tables, self.exports, self.engines, self.analyst, self.positions, self.files, self.parsing):
            part.close()

    def feed(self, file: int, name: str, visibility: Visibility) -> LiveFeed | None:
        """Returns the live feed of a tournament, for all of its watchers; file -1 is the match of this process.

        Teams share a feed with the public, since a feed for each team would constantly read the file. Only on a ladder
        that hides names does each team need its own.
        """
        ladder = None if self.ladder is None or name != self.ladder.store.name else self.ladder
        own = visibility.audience == "staff" or (ladder is not None and ladder.store.settings.pseudonyms)
        audience = visibility if own else PUBLIC
        key = (file, name, audience) if file >= 0 else (MATCH, "", audience)
        if key not in self._feeds:
            source: Source
            if file == MATCH and self.watched is not None:
                source = self.watched
            elif ladder is not None:
                source = ladder
            elif any((one["file"], one["name"]) == (file, name) for one in self.archive.tournaments()):
                source = TournamentSource(self.archive.file(file), name)
            else:
                return None
            pause = LADDER_SECONDS if source is self.ladder else LEAST_SECONDS
            self._feeds[key] = LiveFeed(source, audience, self.files, pause)
        return self._feeds[key]

    async def recorded_game(self, kept: str, number: str, file: int, name: str, member: Member) -> GameRecord:
        """Returns the visible parts of a recorded game. Raises HTTPException 404 if it does not exist."""
        record: GameRecord | None = None
        try:
            if kept == "play":
                table = self.tables.find(number)
                if table is not None:
                    record = table.record() if member.visibility == STAFF else PUBLIC.game(table.record())
            elif kept == "upload":
                record = await self.parsing.run(member, self.archive.uploaded, number)
            elif file == MATCH:
                record = self.watched.record(int(number), member.visibility) if self.watched else None
            elif file >= 0:
                record = await self.files.run(member, self.archive.game, file, name, int(number), member.visibility)
        except (LookupError, ValueError, OverflowError):  # numbers too large for the file belong to no game
            record = None
        if record is None:
            raise HTTPException(404, "there is no such game; it may be too old")
        return record
