"""The services behind the interface: games, opponents, analyses, files, and a thread pool for each kind of work."""

from __future__ import annotations

from weakref import WeakValueDictionary

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

MATCH, LADDER = -1, -2
"""Stand for the match and the ladder of this process, in place of a file's number."""
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
        paths = settings.tournaments
        self._ladder_file = LADDER if ladder is None or ladder.path not in paths else paths.index(ladder.path)
        self.positions = FairThreadPool(1, "positions", quotas.positions)
        self.files = FairThreadPool(FILE_THREADS, "files", quotas.files)
        self.parsing = FairThreadPool(1, "parsing", quotas.parsing)
        self.exports = Exports(quotas, self.positions)
        self.feeds: WeakValueDictionary[tuple[int, str, Visibility], LiveFeed] = WeakValueDictionary()
        """The feeds that are watched."""

    def close(self) -> None:
        for part in (self.tables, self.exports, self.engines, self.analyst, self.positions, self.files, self.parsing):
            part.close()

    def feed(self, file: int, name: str, visibility: Visibility) -> LiveFeed | None:
        """Returns the live feed of a tournament, for all of its watchers; None if it does not exist. file: its number,
        or MATCH or LADDER.

        Teams share a feed with the public, since a feed for each team would constantly read the file. Only on a ladder
        that hides names does each team need its own.
        """
        ladder, source = self.ladder, self._source(file, name)
        if source is None:
            return None
        own = visibility.audience == "staff" or (source is ladder and ladder.store.settings.pseudonyms)
        audience = visibility if own else PUBLIC
        key = (LADDER, "", audience) if source is ladder else (file, "" if file == MATCH else name, audience)
        feed = self.feeds.get(key)
        if feed is None:
            pause = LADDER_SECONDS if source is ladder else LEAST_SECONDS
            feed = self.feeds[key] = LiveFeed(source, audience, self.files, pause)
        return feed

    def _source(self, file: int, name: str) -> Source | None:
        """Returns what a feed reads."""
        if file == MATCH:
            return self.watched
        if self.ladder is not None and name == self.ladder.store.name and file in (LADDER, self._ladder_file):
            return self.ladder
        if any((one["file"], one["name"]) == (file, name) for one in self.archive.tournaments()):
            return TournamentSource(self.archive.file(file), name)
        return None

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
