"""The ladder of a server: plays it, finds members by token, and shows it to watchers.

The runner's connection writes the file; another one reads it for the pages, and sees every finished transaction without
waiting.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path as FilePath
from threading import Lock

from noughts.course.rules import gate_of
from noughts.document import Json
from noughts.matches.runner import Executor
from noughts.tournaments import ladder_team, ladder_view
from noughts.tournaments.ladder import ladder_in, token_owner
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.live import playing_now
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.visibility import PUBLIC, Visibility, team
from noughts.web._members import STAFF_MEMBER, Member
from noughts.web._quotas import Busy
from noughts.web._settings import Settings
from noughts.web._watching import boards

OPEN_PATHS = ("/ladder", "/api/ladder", "/live/ladder", "/replay", "/api/replays/file/", "/favicon.ico")
"""Paths that the public may see if a ladder is served."""
YESTERDAY_SECONDS = 300.0
"""Seconds for which the ratings of a day ago are cached."""
BOARD_SECONDS = 1.0
"""Seconds for which a leaderboard is cached."""
NEWS_SHOWN = 20


class LadderService:
    """Plays and shows the ladder of a file. Raises BusyError if another process plays it. Close it after use.

    executor: plays the games (default: processes of this machine).
    """

    def __init__(self, path: FilePath, executor: Executor | None = None) -> None:
        self.path = path
        self.runner: LadderRunner = LadderRunner(path, gate_of, executor)
        self.file: TournamentFile = TournamentFile(path)
        self._tokens = TournamentFile(path)
        self.store: TournamentStore = ladder_in(self.file)
        self._owners = ladder_in(self._tokens)
        self._lock, self._copying = Lock(), Lock()
        self._board: tuple[float, list[Json]] = (-BOARD_SECONDS, [])
        self._news: tuple[float, list[Json]] = (-BOARD_SECONDS, [])
        self._yesterday: tuple[float, dict[str, float]] = (-YESTERDAY_SECONDS, {})

    def close(self) -> None:
        self.file.close()
        self._tokens.close()
        self.runner.close()  # last, since only a writing connection can move SQLite's log into the file

    def settings(self, settings: Settings) -> Settings:
        """Returns the settings of a server with this ladder: teams have tokens, and visitors see the public pages."""
        return replace(settings, token=None, members=self.member, open_paths=OPEN_PATHS)

    def member(self, digest: str) -> Member | None:
        """Returns the member with this token's hash; None if it is unknown."""
        known, name = token_owner(self._owners, digest)
        return _member(name) if known else None

    def member_called(self, name: str | None) -> Member | None:
        """Returns a team as a member, or the staff for None; None if there is no such team."""
        is_team = any(entry.name == name for entry in self._owners.entries.teams())
        return _member(name) if name is None or is_team else None

    def board(self, visibility: Visibility) -> list[Json]:
        """Returns the leaderboard, at most a moment old."""
        return visibility.within(self.store).board(self._whole_board())

    def _whole_board(self) -> list[Json]:
        with self._lock:
            if time.monotonic() - self._board[0] >= BOARD_SECONDS:
                if time.monotonic() - self._yesterday[0] >= YESTERDAY_SECONDS:
                    self._yesterday = (time.monotonic(), ladder_view.ratings_of_yesterday(self.store))
                self._board = (time.monotonic(), ladder_view.leaderboard(self.store, self._yesterday[1]))
            return self._board[1]

    def snapshot(self, visibility: Visibility) -> Json:
        """Returns the watchers' view: the leaderboard, the latest games, and the boards in play."""
        names, within = {entry.name for entry in self.store.entries.all()}, visibility.within(self.store)
        now = [
            one for one in playing_now(self.store) if one.players[0] != one.players[1] and names.issuperset(one.players)
        ]
        return {
            "name": self.store.name,
            "title": self.store.game.rules.title,
            "board": self.board(visibility),
            "teams": self.teams(),
            "news": self._latest(visibility, within),
            "playing": boards(
                replace(one, players=(within.name(one.players[0]), within.name(one.players[1]))) for one in now
            ),
            "trouble": self.runner.failure,
            "deadline": self.store.settings.deadline or None,
            "frozen": self.store.frozen,
        }

    def _latest(self, visibility: Visibility, within: Visibility) -> list[Json]:
        """Returns the latest games. They are read once for all audiences but staff, and only names differ."""
        if visibility.audience == "staff":
            return ladder_team.games(self.store, visibility, count=NEWS_SHOWN)
        with self._lock:
            if time.monotonic() - self._news[0] >= BOARD_SECONDS:
                self._news = (time.monotonic(), ladder_team.games(self.store, PUBLIC, count=NEWS_SHOWN))
        return [within.named(game) for game in self._news[1]]

    def teams(self) -> int:
        """Returns the number of ranked teams."""
        return sum(row["place"] is not None for row in self._whole_board())

    def copy(self, folder: FilePath, name: str) -> FilePath:
        """Writes a backup, or everything as a zip, to a folder. Only one at a time, since each reads the whole file."""
        if not self._copying.acquire(blocking=False):
            raise Busy("another copy is in progress; try again in a minute")
        try:
            to = folder / name
            if name.endswith(".zip"):
                ladder_view.write_everything(self.store, to)
            else:
                self.file.backup(to)
            return to
        finally:
            self._copying.release()


def _member(name: str | None) -> Member:
    """Returns a team as a member, or the staff for None."""
    return STAFF_MEMBER if name is None else Member(name, team(name), f"team {name}")
