"""Games played elsewhere: those in the operator's tournament files, and uploaded replays.

A client names a file by its number in the operator's list, never by a path. `Visibility` decides what the client sees.
"""

from __future__ import annotations

import gzip
import secrets
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from noughts import board
from noughts.course.game_files import read_logs
from noughts.document import Json
from noughts.library import is_built_in
from noughts.matches.log import display_names, result_line
from noughts.matches.record import GameRecord
from noughts.matches.replays import ReplayError, from_json
from noughts.tournaments import StoreError
from noughts.tournaments.store import TournamentFile, record_of
from noughts.tournaments.visibility import Visibility
from noughts.web._members import Member
from noughts.web._quotas import Share

PAGE = 100
"""Maximum games of a list per request."""
UPLOAD_LINES = 1 << 17
"""Maximum lines of an uploaded log."""
LEAST_BYTES = 1 << 10
"""Minimum bytes that an upload counts for."""


@contextmanager
def open_tournament(path: Path, kept: Mapping[Path, TournamentFile] | None = None) -> Iterator[TournamentFile]:
    """Opens a tournament file for reading. Errors name it without its folder, which is private.

    kept: already open files.
    """
    try:
        if kept is not None and path in kept:
            yield kept[path]
        else:
            with TournamentFile(path) as file:
                yield file
    except StoreError as error:
        text = str(error)
        for known in (str(path.absolute()), str(path)):
            text = text.replace(known, path.name)
        raise StoreError(text) from None


class GameArchive:
    """Tournament files by number, and uploads by random names. room: maximum bytes of uploads. kept: files that stay
    open, since they are constantly written.
    """

    def __init__(self, files: Sequence[Path], room: Share, kept: Mapping[Path, TournamentFile] | None = None) -> None:
        self._files, self._kept = tuple(files), kept
        self._room = room
        self._uploads: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        """The key of the uploader, and the text, compressed."""
        self._lock = Lock()

    def file(self, number: int) -> Path:
        """Returns the path of a file. Raises LookupError if there is none with this number."""
        return self._files[number]

    def tournaments(self) -> list[Json]:
        """Returns an entry for each tournament of each file."""
        found = []
        for number, path in enumerate(self._files):
            with open_tournament(path, self._kept) as file:
                for name in file.names():
                    tournament = file.tournament(name)
                    title = tournament.game.rules.title
                    found.append({"file": number, "name": name, "title": title, "games": tournament.count()})
        return found

    def games(self, number: int, name: str, of: str | None, after: int, visibility: Visibility) -> list[Json]:
        """Returns a page of games with their endings; of one contestant if a name is given."""
        keys = (
            "number stage pool round first second winner reason first_points second_points faulty fault plies".split()
        )
        with open_tournament(self.file(number), self._kept) as file:
            tournament = file.tournament(name)
            visibility = visibility.within(tournament)
            if of is not None and not visibility.sees_page(of):
                return []
            rows = tournament.game_rows(name=of, replays=False)
            later = (visibility.row(row) for row in rows if row["number"] > after)
            return [{key: row[key] for key in keys} for row, _ in zip(later, range(PAGE), strict=False)]

    def game(self, number: int, name: str, game: int, visibility: Visibility) -> GameRecord | None:
        """Returns a game of a tournament, without its hidden parts; the one that counts if it was played again.

        Raises LookupError if there is no such file.
        """
        with open_tournament(self.file(number), self._kept) as file:
            tournament = file.tournament(name)
            visibility = visibility.within(tournament)
            rows = filter(visibility.sees_game, tournament.game_rows(number=game, everything=True))
            row = max(rows, key=lambda row: (row["void"] is None, row["id"]), default=None)
            return None if row is None else visibility.game(record_of(row))

    def upload(self, text: str, member: Member) -> str:
        """Stores a replay, or a log with one game, and returns its name. Raises ValueError if it is neither.

        It replaces the uploader's oldest uploads, or, if there is no room, the oldest of the client with most.
        """
        if text.count("\n") > UPLOAD_LINES:
            raise ValueError(f"it has too many lines; the page accepts at most {UPLOAD_LINES:,}")
        _read(text)
        name, packed = secrets.token_urlsafe(9), gzip.compress(text.encode(), 6, mtime=0)
        with self._lock:
            self._uploads[name] = (member.key, packed)
            taken: Counter[str] = Counter()
            for key, each in self._uploads.values():
                taken[key] += max(len(each), LEAST_BYTES)
            while taken[member.key] > self._room.most(member):
                taken[member.key] -= self._drop_oldest(member.key)
            while taken.total() > self._room.total:
                key = taken.most_common(1)[0][0]
                taken[key] -= self._drop_oldest(key)
        return name

    def _drop_oldest(self, key: str) -> int:
        """Deletes the oldest upload of a client. Returns the freed bytes."""
        name, packed = next((name, packed) for name, (owner, packed) in self._uploads.items() if owner == key)
        del self._uploads[name]
        return max(len(packed), LEAST_BYTES)

    def uploaded(self, name: str) -> GameRecord:
        """Returns an upload. Raises LookupError if it does not exist, or no longer."""
        return _read(gzip.decompress(self._uploads[name][1]).decode())


def record_data(record: GameRecord) -> Json:
    """Returns everything that the page shows of a game."""
    fault = record.fault
    return {
        "record": board.recorded(record.game, record.moves),
        "built_in": is_built_in(record.game),
        "players": list(display_names(record)),
        "seconds": [round(taken, 3) for taken in record.seconds],
        "opening": record.opening,
        "reason": record.reason,
        "winner": record.winner,
        "points": list(record.points),
        "result": result_line(record),
        "fault": None if fault is None else {"player": record.faulty, "kind": fault.kind, "text": fault.text},
        "prints": {str(n): text for n, text in record.prints.items()},
    }


def _read(text: str) -> GameRecord:
    if text.lstrip()[:1] == "{":
        return from_json(text)
    games = read_logs(text, "this")
    if not games:
        raise ReplayError("this is neither a replay (a JSON file of `noughts match --log`) nor a log of games")
    return games[0].record
