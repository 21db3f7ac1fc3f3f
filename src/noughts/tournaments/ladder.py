"""A ladder in a tournament file: making one, secret links, uploads, its deadline, matches that teams ask for.

`ladder_view` shows it, `ladder_runner` plays it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.files import slug
from noughts.game import Game
from noughts.matches.store_file import StoreError, timestamp
from noughts.printable import counted, one_line, shell_quote
from noughts.sandbox.source import MAX_BYTES, BotSource, decode
from noughts.tournaments._ladder import FRIENDLY
from noughts.tournaments._ladder import LADDER as LADDER
from noughts.tournaments.names import name_keys, name_refusal, new_aliases
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, TournamentStore

YARDSTICKS = ("random", "greedy", "alphabeta:level=1", "alphabeta:level=3")
"""Players of the staff that new versions are placed by, if no others are named."""
NAME = "ladder"
MOST_UPLOADS = 1000
MOST_FRIENDLIES = 1000
MOST_FAULTS = 1000


class UploadRefused(NoughtsError, ValueError):  # noqa: N818 - it is the upload that is refused
    """An upload or another wish of a team that is not accepted; the message says why, and what to do. status: that of
    HTTP.
    """

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
        if refusal := name_refusal(team):
            raise StoreError(f"the roster has a team {one_line(team, 60)!r}: {refusal.replace('the file', 'the team')}")
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
        if settings.pseudonyms:
            draw_aliases(ladder)
    return ladder


def draw_aliases(ladder: TournamentStore) -> None:
    """Gives a pseudonym to each team, if they have none."""
    teams = [entry for entry in ladder.entries.all() if not entry.staff]
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
        ladder.file.do("INSERT INTO token VALUES (?, ?, ?, ?)", digest, ladder.id, entry, ladder.file.now())


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
        if is_over(ladder):
            raise UploadRefused(403, f"the deadline was {deadline_text(ladder)}: versions are no longer taken")
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
    most, at = ladder.settings.uploads, ladder.file.clock()
    # What a clock that was set back calls the future does not count.
    added = ladder.file.rows(
        "SELECT added FROM version JOIN bot ON bot.id = version.bot WHERE name = ? AND added BETWEEN ? AND ? "
        "ORDER BY added DESC LIMIT ?",
        *(team, timestamp(at - timedelta(hours=1)), timestamp(at), most),
    )
    if len(added) >= most:
        free = datetime.fromisoformat(added[-1][0]) + timedelta(hours=1) - at
        minutes = max(1, round(free.total_seconds() / 60))
        raise UploadRefused(
            429,
            f"your team has uploaded {counted(most, 'version')} in the last hour, as many as it may; try again in "
            f"{counted(minutes, 'minute')}. `noughts check` tries a bot on your machine",
        )


# The deadline, and the tournament after it.


def deadline_of(ladder: TournamentStore) -> datetime | None:
    """Returns after what time no uploads are taken (UTC); None if there is no such time."""
    text = ladder.settings.deadline
    return datetime.fromisoformat(text) if text else None


def deadline_text(ladder: TournamentStore) -> str:
    """Returns the deadline for a sentence, with the server's time."""
    deadline = deadline_of(ladder)
    assert deadline is not None
    return f"{deadline:%Y-%m-%d %H:%M:%S} UTC, and it is {ladder.file.clock():%Y-%m-%d %H:%M:%S} UTC now"


def is_over(ladder: TournamentStore) -> bool:
    """Returns whether the deadline has passed, by the server's clock."""
    deadline = deadline_of(ladder)
    return deadline is not None and ladder.file.clock() >= deadline


def enter_final_versions(tournament: TournamentStore, ladder: TournamentStore) -> list[str]:
    """Enters the versions that play on a ladder into a tournament of the same file; returns the teams.

    StoreError if there are none, or versions may still change.
    """
    if not ladder.is_frozen:
        if not is_over(ladder):
            raise StoreError(
                f"versions may still change on {ladder.name!r}; freeze it first: "
                f"`noughts ladder freeze {shell_quote(ladder.file.path)}`"
            )
        waiting = [entry.name for entry in ladder.entries.all() if entry.candidate_id and not entry.removed]
        if waiting:
            raise StoreError(
                f"versions of {', '.join(waiting)} wait at the gate; `noughts serve --file "
                f"{shell_quote(ladder.file.path)}` checks them, `noughts ladder freeze` leaves them out"
            )
    checked = _gate_settings(tournament.settings) == _gate_settings(ladder.settings)
    entered = tournament.entries.enter_versions(ladder.id, checked=checked)
    if not entered:
        raise StoreError(f"no version plays on {ladder.name!r}")
    return entered


def _gate_settings(settings: Settings) -> tuple[object, ...]:
    """Returns what the outcome of the gate depends on."""
    return settings.limits, settings.strict, settings.admit, settings.name_rule, settings.rehearsal


# Friendly matches: two games that are not rated.


def ask_for_friendly(ladder: TournamentStore, team: str, opponent: str) -> int:
    """Keeps the wish of a team for a match with a yardstick or a willing team; returns its number.

    UploadRefused if it is not accepted.
    """
    most, at = ladder.settings.friendlies, ladder.file.clock()
    with ladder.file.change():
        if ladder.is_frozen:
            raise UploadRefused(403, "this ladder is frozen: no games are played")
        asker, other = ladder.entries.find(team), ladder.entries.find(opponent)
        if asker.removed:
            raise UploadRefused(403, "your team is suspended; ask the staff")
        if not asker.plays:
            raise UploadRefused(403, "no version of your team plays; upload one that passes the check")
        if other.id == asker.id or not other.plays or not (other.staff or other.willing):
            raise UploadRefused(403, "that opponent does not play friendly matches; choose one of the list")
        ((waiting,),) = ladder.file.rows(
            "SELECT count(*) FROM friendly WHERE asker = ? AND NOT EXISTS (SELECT 1 FROM fixture JOIN game ON "
            "game.fixture = fixture.id WHERE fixture.tournament = friendly.tournament AND first = opponent AND "
            "second = asker AND stage = ? AND pool = 1 AND round = friendly.id)",
            *(asker.id, FRIENDLY),
        )
        # What a clock that was set back calls the future counts as long as it was not played.
        ((today,),) = ladder.file.rows(
            "SELECT count(*) FROM friendly WHERE asker = ? AND asked BETWEEN ? AND ?",
            *(asker.id, timestamp(at - timedelta(days=1)), timestamp(at)),
        )
        if max(waiting, today) >= most:
            raise UploadRefused(
                429,
                f"your team has asked for {max(waiting, today)} matches within a day, as many as it may; "
                "try again tomorrow",
            )
        return ladder.file.insert(
            "INSERT INTO friendly (tournament, asker, opponent, asked) VALUES (?, ?, ?, ?)",
            *(ladder.id, asker.id, other.id, timestamp(at)),
        )
