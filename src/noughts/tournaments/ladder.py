"""A ladder in a tournament file: making one, secret links, uploads. `ladder_view` shows it, `ladder_runner` plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from noughts.course.roster import Roster
from noughts.errors import NoughtsError
from noughts.files import slug
from noughts.game import Game
from noughts.matches.store_file import StoreError, now
from noughts.printable import counted, one_line
from noughts.sandbox.source import MAX_BYTES, BotSource, decode
from noughts.tournaments._ladder import LADDER as LADDER
from noughts.tournaments.names import name_keys, name_trouble
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

YARDSTICKS = ("random", "greedy", "alphabeta:level=1", "alphabeta:level=3")
"""Players of the staff that new versions are placed by, if no others are named."""
NAME = "ladder"
MOST_UPLOADS = 1000


class UploadRefused(NoughtsError, ValueError):  # noqa: N818 - it is the upload that is refused
    """An upload that is not accepted; the message says why, and what to do. status: that of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Upload:
    """A version that was accepted: it is on the disk. is_new: False if the team had uploaded the same text before.
    replaces: the version that was waiting, and is not checked any more.
    """

    team: str
    version: int
    is_new: bool = True
    replaces: int | None = None


def create_ladder(
    file: TournamentFile,
    game: Game,
    settings: Settings,
    teams: Sequence[str],
    yardsticks: Sequence[str] = YARDSTICKS,
    seed: int | None = None,
) -> TournamentStore:
    """Makes a ladder with these teams, which have no bots yet; StoreError if a name is not allowed or there twice."""
    seen: dict[str, str] = {}
    for team in teams:
        if trouble := name_trouble(team):
            raise StoreError(f"the roster has a team {one_line(team, 60)!r}: {trouble.replace('the file', 'the team')}")
        for key in name_keys(team):
            if seen.setdefault(key, team) != team:
                raise StoreError(f"the teams {seen[key]!r} and {team!r} look the same; rename one of them")
    if not teams or not yardsticks:
        raise StoreError("a ladder needs a team and a yardstick, such as --yardsticks random")
    if file.names():
        raise StoreError(f"{file.path} holds a tournament already; name another file")
    with file.change():
        ladder = file.create(NAME, game, settings, seed)
        enter_players(ladder, yardsticks, staff=True)
        known = {key: entry.name for entry in ladder.entries.all() for key in name_keys(entry.name)}
        for team in teams:
            if taken := next((known[key] for key in name_keys(team) if key in known), None):
                raise StoreError(f"the team {team!r} is called like the yardstick {taken!r}; rename it")
            ladder.entries.enter_team(team)
    return ladder


def teams_of(roster: Roster) -> list[str]:
    """Returns the teams of a roster, in its order."""
    return list(dict.fromkeys(student.team for student in roster))


def ladder_in(file: TournamentFile) -> TournamentStore:
    """Returns the ladder of a file; StoreError if there is none."""
    for name in reversed(file.names()):
        tournament = file.tournament(name)
        if tournament.settings.format == LADDER:
            return tournament
    raise StoreError(
        f"there is no ladder in {file.path}; `noughts ladder create NEW.noughts --game GAME --roster ROSTER` makes one"
    )


def has_ladder(path: Path) -> bool:
    """Returns whether a file holds a ladder; StoreError if it cannot be read."""
    with TournamentFile(path) as file:
        return any(file.tournament(name).settings.format == LADDER for name in file.names())


# Secret links: the file has hashes of tokens only.


def set_token(ladder: TournamentStore, team: str | None, digest: str) -> None:
    """Gives a team, or with None the staff, a token by its hash. The one before is no longer good."""
    entry = None if team is None else _team(ladder, team)
    with ladder.file.change():
        ladder.file.do("DELETE FROM token WHERE tournament = ? AND entry IS ?", ladder.id, entry)
        ladder.file.do("INSERT INTO token VALUES (?, ?, ?, ?)", digest, ladder.id, entry, now())


def token_owner(ladder: TournamentStore, digest: str) -> tuple[bool, str | None]:
    """Returns whether somebody has the token with this hash, and the team; None for staff."""
    rows = ladder.file.rows(
        "SELECT bot.name FROM token LEFT JOIN entry ON entry.id = token.entry LEFT JOIN bot ON bot.id = entry.bot "
        "WHERE token.tournament = ? AND hash = ?",
        *(ladder.id, digest),
    )
    return (True, rows[0][0]) if rows else (False, None)


def _team(ladder: TournamentStore, name: str) -> int:
    teams = {entry.name: entry.id for entry in ladder.entries.all() if not entry.staff}
    if name not in teams:
        raise StoreError(f"there is no team {name!r} on this ladder; the teams are {', '.join(teams)}")
    return teams[name]


# Uploads.


def submit(ladder: TournamentStore, team: str, data: bytes, file: str = "") -> Upload:
    """Takes a bot file of a team. It is on the disk when this returns, and waits at the gate.

    file: what the team calls it. UploadRefused if it is not accepted, StoreError if it cannot be written now.
    """
    if len(data) > MAX_BYTES:
        raise UploadRefused(413, f"a bot file has {MAX_BYTES >> 20} MB at most; leave out what is not code")
    if not data.strip():
        raise UploadRefused(400, "the file is empty; send the text of a bot as the body of the request")
    name = f"{slug(Path(file or team).name.removesuffix('.py'))}.py"
    try:
        source = BotSource(name, None, decode(data, "this"))
    except ValueError as error:
        raise UploadRefused(400, f"{error}; send a file of Python") from None
    with ladder.file.change():
        if ladder.is_frozen:
            raise UploadRefused(403, "this ladder is frozen: versions are no longer taken")
        before = ladder.entries.find(team)
        if before.removed:
            raise UploadRefused(403, "your team is suspended; ask the staff")
        _require_quota(ladder, team)
        is_new = ladder.entries.enter(team, source)
        ((version, number),) = ladder.file.rows(
            "SELECT version.id, number FROM version JOIN bot ON bot.id = version.bot WHERE name = ? AND source = ? "
            "AND wanted IS NULL",
            *(team, source.text),
        )
        replaces = before.candidate_id if before.candidate_id not in (None, version) else None
        if replaces is not None:
            ((replaces,),) = ladder.file.rows("SELECT number FROM version WHERE id = ?", replaces)
    return Upload(team, number, is_new, replaces)


def _require_quota(ladder: TournamentStore, team: str) -> None:
    """UploadRefused if a team has uploaded as much in the last hour as it may."""
    most, at = ladder.settings.uploads, datetime.now(UTC)
    # What a clock that was set back calls the future does not count.
    added = ladder.file.rows(
        "SELECT added FROM version JOIN bot ON bot.id = version.bot WHERE name = ? AND added BETWEEN ? AND ? "
        "ORDER BY added DESC LIMIT ?",
        *(team, _stamp(at - timedelta(hours=1)), _stamp(at), most),
    )
    if len(added) >= most:
        free = datetime.fromisoformat(added[-1][0]) + timedelta(hours=1) - at
        minutes = max(1, round(free.total_seconds() / 60))
        raise UploadRefused(
            429,
            f"your team has uploaded {counted(most, 'version')} in the last hour, as many as it may; try again in "
            f"{counted(minutes, 'minute')}. `noughts check` tries a bot on your machine",
        )


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")
