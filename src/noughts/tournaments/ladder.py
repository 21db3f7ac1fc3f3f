"""A ladder in a tournament file: creation, secret links, uploads, the deadline, and friendly matches.

`ladder_view` shows it, `ladder_runner` plays it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from noughts.bots.gate import GateReport
from noughts.database import remove_companions
from noughts.errors import NoughtsError
from noughts.files import BusyError, FileLock, foreign_log, slug
from noughts.game import Game
from noughts.matches.store_file import StoreError, timestamp
from noughts.printable import counted, one_line, shell_quote
from noughts.sandbox.source import MAX_BYTES, BotSource, decode
from noughts.tournaments._entries import Entry, version_hash
from noughts.tournaments._ladder import FRIENDLY
from noughts.tournaments._ladder import LADDER as LADDER
from noughts.tournaments.names import name_keys, name_refusal, new_aliases
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

YARDSTICKS = ("random", "greedy", "alphabeta:level=1", "alphabeta:level=3")
"""Default yardsticks, which new versions play first."""
TIME = "%Y-%m-%d %H:%M:%S UTC"
LARGEST_LIMIT = 1000
"""Maximum of each limit of teams: uploads, friendly matches, faults."""


class UploadRefused(NoughtsError, ValueError):  # noqa: N818 - it is the upload that is refused
    """A refused upload or other request of a team; the message says why, and what to do. status: the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Upload:
    """An accepted version, stored on disk. is_new: False if the team uploaded the same text before. replaces: the
    waiting version that is no longer checked.
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
    """Creates a ladder with these teams, still without bots. Raises StoreError for invalid or duplicate names."""
    seen: dict[str, str] = {}
    for team in teams:
        if refusal := name_refusal(team):
            raise StoreError(f"the roster has a team {one_line(team, 60)!r}: {refusal.replace('the file', 'the team')}")
        for key in name_keys(team):
            if seen.setdefault(key, team) != team:
                raise StoreError(f"the teams {seen[key]!r} and {team!r} look the same; rename one of them")
    if not teams or not yardsticks:
        raise StoreError("a ladder needs a team and a yardstick, such as --yardsticks random")
    if file.names():
        raise StoreError(f"{file.path} already contains a tournament; name another file")
    with file.change():
        ladder = file.create(LADDER, game, settings, seed)
        enter_players(ladder, yardsticks, staff=True)
        known = {key: entry.name for entry in ladder.entries.all() for key in name_keys(entry.name)}
        for team in teams:
            if taken := next((known[key] for key in name_keys(team) if key in known), None):
                raise StoreError(f"the team {team!r} has the name of the yardstick {taken!r}; rename the team")
            ladder.entries.enter_team(team)
        if settings.pseudonyms:
            draw_aliases(ladder)
    return ladder


def draw_aliases(ladder: TournamentStore) -> None:
    """Gives each team a pseudonym, if they have none."""
    teams = ladder.entries.teams()
    if any(entry.alias for entry in teams):
        return
    with ladder.file.change():
        for entry, alias in zip(teams, new_aliases(len(teams)), strict=True):
            ladder.file.do("UPDATE entry SET alias = ? WHERE id = ?", alias, entry.id)


def hide_names(ladder: TournamentStore, hidden: bool) -> None:
    """Lets teams see each other by pseudonyms, or again by their names."""
    if hidden:
        draw_aliases(ladder)
    ladder.change_settings(pseudonyms=hidden)


def find_ladder(file: TournamentFile) -> TournamentStore | None:
    """Returns the ladder of a file; None if there is none."""
    return next((one for one in map(file.tournament, file.names()) if one.kind.endless), None)


def ladder_in(file: TournamentFile) -> TournamentStore:
    """Returns the ladder of a file. Raises StoreError if there is none."""
    if (ladder := find_ladder(file)) is None:
        raise StoreError(
            f"there is no ladder in {file.path}; `noughts ladder create NEW.noughts --game GAME --roster ROSTER` "
            "creates one"
        )
    return ladder


def has_ladder(path: Path) -> bool:
    """Returns whether a file contains a ladder. Raises StoreError if it cannot be read."""
    with TournamentFile(path) as file:
        return find_ladder(file) is not None


# Secret links: the file contains only hashes of tokens.


def set_token(ladder: TournamentStore, team: str | None, digest: str) -> None:
    """Sets the token of a team, or of the staff (None), by its hash. The previous token is no longer valid."""
    entry = None if team is None else _team(ladder, team)
    with ladder.file.change():
        ladder.file.do("DELETE FROM token WHERE tournament = ? AND entry IS ?", ladder.id, entry)
        ladder.file.do("INSERT INTO token VALUES (?, ?, ?, ?)", digest, ladder.id, entry, ladder.file.now())


def token_owner(ladder: TournamentStore, digest: str) -> tuple[bool, str | None]:
    """Returns whether the token with this hash exists, and its team; None for staff."""
    rows = ladder.file.rows(
        "SELECT bot.name FROM token LEFT JOIN entry ON entry.id = token.entry LEFT JOIN bot ON bot.id = entry.bot "
        "WHERE token.tournament = ? AND hash = ? AND (token.entry IS NULL OR NOT (staff OR hidden))",
        *(ladder.id, digest),
    )
    return (True, rows[0][0]) if rows else (False, None)


# Backups.


@dataclass(frozen=True)
class Restored:
    """A restored ladder: its versions and games, and those that the former file had besides. former: where the former
    file is now, None if there was none. newer: None if the former file cannot be read.
    """

    versions: int
    games: int
    former: Path | None
    newer: tuple[int, int] | None


def restore_ladder(path: Path, backup: Path) -> Restored:
    """Puts a backup in the place of a ladder's file, which is renamed. Raises BusyError if a process plays the ladder,
    StoreError if the backup is none of this ladder.

    Links stay as they are now, so none that was replaced works again. Further games get seeds from a new secret, since
    those of games after the backup may be known.
    """
    path = Path(os.path.realpath(path))
    lock = FileLock(path, BusyError(f"another process is playing {path}; stop the server first"))
    draft = path.with_name(f".noughts-{secrets.token_hex(8)}.part")
    try:
        if path.exists() and backup.exists() and backup.samefile(path):
            raise StoreError(f"{backup} is the ladder's file itself, or another name of it; name a backup")
        with TournamentFile(backup) as source:
            ladder = ladder_in(source)
            identity, counts = ladder.identity, _counts(source)
            source.backup(draft)
        tokens, former = _read_former(path, identity)
        with TournamentFile(draft, write=True) as file:
            ladder = ladder_in(file)
            if not ladder.is_frozen:
                ladder.draw_secret()
            for team, digest in tokens:
                set_token(ladder, team, digest)
        aside = _set_aside(path, f"{ladder.file.clock():%Y%m%dT%H%M%SZ}")
        os.replace(draft, path)
    finally:
        for part in ("", "-wal", "-shm"):
            Path(f"{draft}{part}").unlink(missing_ok=True)
        lock.release()
    return Restored(*counts, aside, former and (former[0] - counts[0], former[1] - counts[1]))


def _counts(file: TournamentFile) -> tuple[int, int]:
    """Returns the numbers of uploaded versions and of games in a file."""
    query = "SELECT (SELECT count(*) FROM version WHERE kind = 'file'), (SELECT count(*) FROM game)"
    ((versions, games),) = file.rows(query)
    return versions, games


def _read_former(path: Path, identity: str) -> tuple[list[tuple[str | None, str]], tuple[int, int] | None]:
    """Returns the tokens of a ladder's file and its numbers of versions and games; nothing if it cannot be read.

    Raises StoreError if it contains another ladder.
    """
    try:
        with TournamentFile(path) as file:
            ladder = ladder_in(file)
            if ladder.identity == identity:
                query = (
                    "SELECT bot.name, hash FROM token LEFT JOIN entry ON entry.id = token.entry "
                    "LEFT JOIN bot ON bot.id = entry.bot WHERE token.tournament = ?"
                )
                return file.rows(query, ladder.id), _counts(file)
    except StoreError:
        return [], None
    raise StoreError(f"the backup is of another ladder than the one in {path}; move {path} away if you mean it")


def _set_aside(path: Path, suffix: str) -> Path | None:
    """Renames a database and what lies beside it; returns its new name."""
    log, aside = Path(f"{path}-wal"), path.with_name(f"{path.stem}-before-restore-{suffix}{path.suffix}")
    if foreign_log(path):
        log.rename(f"{aside}.other-wal")  # a name that SQLite does not look for
    with suppress(StoreError, OSError):
        remove_companions(path)
    Path(f"{path}-shm").unlink(missing_ok=True)
    if log.exists():
        log.rename(f"{aside}-wal")
    if not path.exists():
        return None
    path.rename(aside)
    return aside


def _team(ladder: TournamentStore, name: str) -> int:
    teams = {entry.name: entry.id for entry in ladder.entries.teams()}
    if name not in teams:
        raise StoreError(f"there is no team {name!r} on this ladder; the teams are {', '.join(teams)}")
    return teams[name]


# Uploads.


def submit(
    ladder: TournamentStore,
    team: str,
    data: bytes,
    file: str = "",
    *,
    read: Callable[[BotSource], GateReport] | None = None,
) -> Upload:
    """Stores an uploaded bot file. When this returns, the file is on the disk and waits at the gate.

    file: the team's name for the file. read: returns what the gate finds by reading the file, and raises UploadRefused
    if it cannot play. Raises UploadRefused, or StoreError if the file cannot be written now. A refused file replaces
    nothing.
    """
    source = _source_of(team, data, file)
    _require_open(ladder, team, source)
    report = None if read is None else read(source)
    with ladder.file.change():
        waiting, waiting_number = _require_open(ladder, team, source)
        entered = ladder.entries.enter(team, source, report=report)
    replaces = None if waiting == entered.version else waiting_number
    return Upload(team, entered.number, entered.is_new, replaces)


def _source_of(team: str, data: bytes, file: str) -> BotSource:
    """Returns the bot of an upload. Raises UploadRefused if it is no text, or too long."""
    if len(data) > MAX_BYTES:
        raise UploadRefused(413, f"a bot file must have at most {MAX_BYTES >> 20} MB; leave out everything but code")
    if not data.strip():
        raise UploadRefused(400, "the file is empty; send the text of a bot as the body of the request")
    name = f"{slug(Path(file or team).name.removesuffix('.py'))}.py"
    try:
        return BotSource(name, None, decode(data, "this"))
    except ValueError as error:
        raise UploadRefused(400, f"{error}; send a Python file") from None


_UPLOAD_FACTS = (
    "SELECT settings, frozen, removed, candidate, waiting.number, same.id IS NOT NULL, "
    "(SELECT group_concat(added, ' ') FROM version WHERE version.bot = bot.id AND added BETWEEN ?4 AND ?5), "
    "(SELECT coalesce(sum(length(CAST(source AS BLOB))), 0) FROM version WHERE version.bot = bot.id) "
    "FROM tournament JOIN entry ON entry.tournament = tournament.id AND NOT hidden JOIN bot ON bot.id = entry.bot "
    "LEFT JOIN version AS waiting ON waiting.id = candidate "
    "LEFT JOIN version AS same ON same.bot = bot.id AND same.hash = ?3 WHERE tournament.id = ?1 AND bot.name = ?2"
)
"""SQL: all that decides whether a team may upload a file now. added: of its versions within a time."""


def _require_open(ladder: TournamentStore, team: str, source: BotSource) -> tuple[int | None, int | None]:
    """Returns the version of a team that waits at the gate, and its number; None if none does. Raises UploadRefused if
    the team may not upload this file now.
    """
    now = ladder.file.clock()
    # Uploads in the future, after the clock was set back, do not count.
    hour = timestamp(now - timedelta(hours=1)), timestamp(now)
    rows = ladder.file.rows(_UPLOAD_FACTS, ladder.id, team, version_hash(source), *hour)
    if not rows:
        ladder.entries.find(team)  # names those that there are
    ((text, frozen, removed, waiting, number, is_known, added, used),) = rows
    settings = ladder.settings_from(text)
    if frozen is not None:
        raise UploadRefused(403, "this ladder is frozen and accepts no uploads")
    deadline = deadline_of(settings)
    if deadline is not None and now >= deadline:
        raise UploadRefused(403, f"the deadline was {deadline:{TIME}}, and it is {now:{TIME}} now; uploads are closed")
    if removed:
        raise UploadRefused(403, "your team is suspended; ask the staff")
    _require_quota(settings.uploads, sorted((added or "").split(), reverse=True), now)
    if not is_known:
        _require_storage(settings.storage, used, source)
    return waiting, number


def _require_storage(limit: int, used: int, source: BotSource) -> None:
    """Raises UploadRefused if a team has no room for another version. limit, used: bytes of its versions."""
    if used + len(source.text.encode()) > limit:
        raise UploadRefused(
            413,
            f"the versions of your team take {used / (1 << 20):.1f} MB of {limit >> 20} MB, and this one does not fit; "
            "upload a smaller file, or ask the staff for more room",
        )


def _require_quota(limit: int, added: Sequence[str], now: datetime) -> None:
    """Raises UploadRefused if a team has used up its uploads of the last hour. added: their times, newest first."""
    if len(added) >= limit:
        free = datetime.fromisoformat(added[limit - 1]) + timedelta(hours=1) - now
        minutes = max(1, round(free.total_seconds() / 60))
        raise UploadRefused(
            429,
            f"your team has uploaded {counted(limit, 'version')} in the last hour, which is the limit; try again in "
            f"{counted(minutes, 'minute')}. To test a bot on your machine, run `noughts check`",
        )


# The deadline, and the tournament after it.


def deadline_of(settings: Settings) -> datetime | None:
    """Returns the deadline of uploads (UTC); None if there is none."""
    return datetime.fromisoformat(settings.deadline) if settings.deadline else None


def is_over(ladder: TournamentStore) -> bool:
    """Returns whether the deadline has passed, by the server's clock."""
    deadline = deadline_of(ladder.settings)
    return deadline is not None and ladder.file.clock() >= deadline


def enter_final_versions(tournament: TournamentStore, ladder: TournamentStore) -> list[str]:
    """Enters the current versions of a ladder into a tournament of the same file. Returns the teams.

    Raises StoreError if there are none, or if versions may still change.
    """
    if not ladder.is_frozen:
        if not is_over(ladder):
            raise StoreError(
                f"versions may still change on {ladder.name!r}; freeze it first: "
                f"`noughts ladder freeze {shell_quote(ladder.file.path)}`"
            )
        waiting = [entry.name for entry in ladder.entries.all() if entry.waits]
        if waiting:
            raise StoreError(
                f"versions of {', '.join(waiting)} wait at the gate; `noughts serve --file "
                f"{shell_quote(ladder.file.path)}` checks them; `noughts ladder freeze` leaves them out"
            )
    checked = _gate_settings(tournament.settings) == _gate_settings(ladder.settings)
    entered = tournament.entries.enter_versions(ladder.id, checked=checked)
    if not entered:
        raise StoreError(f"the ladder {ladder.name!r} has no version that plays")
    return entered


def _gate_settings(settings: Settings) -> tuple[object, ...]:
    """Returns the settings that affect the gate's result."""
    return settings.limits, settings.strict, settings.admit, settings.name_rule, settings.rehearsal


# Friendly matches: two unrated games.


def ask_for_friendly(ladder: TournamentStore, team: str, opponent: str) -> int:
    """Stores a team's request for a match with a yardstick or a willing team. Returns its number.

    Raises UploadRefused if it is refused.
    """
    with ladder.file.change():
        if ladder.is_frozen:
            raise UploadRefused(403, "this ladder is frozen and plays no games")
        asker, other = ladder.entries.find(team), ladder.entries.find(opponent)
        if asker.removed:
            raise UploadRefused(403, "your team is suspended; ask the staff")
        if not asker.plays:
            raise UploadRefused(403, "your team has no version that plays; upload one that passes the check")
        if not may_ask(asker, other):
            raise UploadRefused(403, "that opponent does not play friendly matches; choose one from the list")
        ((waiting,),) = ladder.file.rows(
            "SELECT count(*) FROM friendly WHERE asker = ? AND NOT EXISTS (SELECT 1 FROM fixture JOIN game ON "
            "game.fixture = fixture.id WHERE fixture.tournament = friendly.tournament AND first = opponent AND "
            "second = asker AND stage = ? AND pool = 1 AND round = friendly.id)",
            *(asker.id, FRIENDLY),
        )
        # Requests in the future, after the clock was set back, count until they are played.
        count = max(waiting, asked_today(ladder, asker))
        if count >= ladder.settings.friendlies:
            raise UploadRefused(
                429, f"your team has requested {count} matches within a day, which is the limit; try again tomorrow"
            )
        return ladder.file.insert(
            "INSERT INTO friendly (tournament, asker, opponent, asked) VALUES (?, ?, ?, ?)",
            *(ladder.id, asker.id, other.id, ladder.file.now()),
        )


def may_ask(asker: Entry, other: Entry) -> bool:
    """Returns whether a contestant plays the friendly matches that another one requests."""
    return other.id != asker.id and other.plays and (other.staff or other.willing)


def asked_today(ladder: TournamentStore, entry: Entry) -> int:
    """Returns the number of friendly matches that a team has requested within a day."""
    at = ladder.file.clock()
    ((count,),) = ladder.file.rows(
        "SELECT count(*) FROM friendly WHERE asker = ? AND asked BETWEEN ? AND ?",
        *(entry.id, timestamp(at - timedelta(days=1)), timestamp(at)),
    )
    return int(count)
