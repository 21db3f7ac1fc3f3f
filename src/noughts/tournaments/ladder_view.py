"""Views of all teams on a ladder: the leaderboard, the clock, and for staff the queue and a zip with everything.

`ladder_team` shows one team. No function reads all games of a ladder, so costs do not grow over the months.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from noughts.document import Json
from noughts.files import slug, slugs
from noughts.matches.store_file import timestamp
from noughts.printable import csv_text
from noughts.tournaments._entries import Entry
from noughts.tournaments._ladder import LADDER
from noughts.tournaments._matchmaker import PLACEMENT
from noughts.tournaments._odd_pairs import odd_pairs
from noughts.tournaments.ladder import is_over
from noughts.tournaments.live import playing_now
from noughts.tournaments.store import TournamentStore

UNRATED = (0, None, None, None)
FAULT_GAMES = 1000
"""Number of latest games whose faults staff see."""
LONGEST_SECONDS = 7 * 86400.0
"""Maximum time of a check or until a rating: the clock was set in longer ones, or the server was off."""
RECENT_GAMES = 10_000
"""Number of latest games that are searched for facts about the last minutes."""


def ratings_of_yesterday(ladder: TournamentStore) -> dict[str, float]:
    """Returns the teams' ratings of a day ago, by name."""
    day = timestamp(ladder.file.clock() - timedelta(days=1))
    rows = ladder.file.rows(
        "SELECT bot.name, elo, max(rated) FROM rating JOIN version ON version.id = rating.version "
        "JOIN bot ON bot.id = version.bot WHERE tournament = ? AND rated <= ? GROUP BY bot.id",
        *(ladder.id, day),
    )
    return {name: elo for name, elo, _ in rows}


def leaderboard(ladder: TournamentStore, yesterday: Mapping[str, float] | None = None) -> list[Json]:
    """Returns all contestants that play, best first: ratings with 95% intervals, and their change within a day.

    yesterday: `ratings_of_yesterday`, if known. `Visibility.board` decides what is visible.
    """
    then = ratings_of_yesterday(ladder) if yesterday is None else yesterday
    entries = [entry for entry in ladder.entries.all() if not entry.removed]
    now, hidden = latest_ratings(ladder), ladder.settings.pseudonyms
    rows: list[Json] = []
    for entry in entries:
        games, elo, low, high = now.get(entry.version_id or 0, UNRATED)
        rows.append(
            {
                "team": entry.name,
                "alias": entry.alias if hidden else None,
                "yardstick": entry.staff,
                "willing": entry.willing,
                "version": entry.version,
                **elo_data(elo, low, high),
                "games": games,
                "provisional": games < 2 * PLACEMENT and not entry.staff,
                "change": rounded(elo - then[entry.name]) if elo is not None and entry.name in then else None,
                "state": entry_state(entry),
            }
        )
    # Equal rows are in the order of the pseudonyms, if there are any.
    rows.sort(
        key=lambda row: (row["elo"] is None, row["provisional"], -(row["elo"] or 0.0), row["alias"] or row["team"])
    )
    place = 0
    for row in rows:
        counts = row["elo"] is not None and not row["yardstick"]
        place += counts
        row["place"] = place if counts else None
    return rows


def entry_state(entry: Entry) -> str:
    """Returns the state of a contestant: "plays", "at the gate" (while an older version plays, if there is one),
    "failed" (its latest version failed), "suspended", or "no version".
    """
    if entry.removed:
        return "suspended"
    if entry.candidate_id is not None:
        return "at the gate"
    if entry.reason and not entry.plays:
        return "failed"
    return "plays" if entry.plays else "no version"


def clock(ladder: TournamentStore) -> Json:
    """Returns the time by the server's clock, the deadline, and whether uploads are open."""
    settings = ladder.settings
    return {
        "now": ladder.file.now(),
        "deadline": settings.deadline or None,
        "frozen": ladder.frozen,
        "open": not ladder.is_frozen and not is_over(ladder),
    }


def queue(ladder: TournamentStore) -> Json:
    """Returns the overview for staff: waiting versions with their times, games of the last minutes, faults,
    machines.
    """
    at = ladder.file.clock()
    waiting = [
        {"team": team, "version": number, "seconds": _seconds(added, at)}
        for team, number, added in ladder.file.rows(
            "SELECT bot.name, number, added FROM entry JOIN bot ON bot.id = entry.bot "
            "JOIN version ON version.id = candidate WHERE tournament = ? AND NOT removed ORDER BY version.id",
            ladder.id,
        )
    ]
    board = leaderboard(ladder, {})
    since = timestamp(at - timedelta(minutes=5))
    recent = [
        finished
        for (finished,) in ladder.file.rows("SELECT finished FROM game ORDER BY id DESC LIMIT ?", RECENT_GAMES)
        if since <= finished <= timestamp(at)  # without times in the future, after the clock was set back
    ]
    gates = ladder.file.rows(
        "SELECT added, decided FROM gate JOIN version ON version.id = gate.version WHERE gate.tournament = ? "
        "AND decided IS NOT NULL ORDER BY version.id DESC LIMIT 100",
        ladder.id,
    )
    firsts = ladder.file.rows(
        "SELECT added, (SELECT min(rated) FROM rating WHERE tournament = ?1 AND version = gate.version "
        "AND games >= ?2) AS first FROM (SELECT version FROM gate WHERE tournament = ?1 AND reason = '' "
        "ORDER BY version DESC LIMIT 100) AS gate JOIN version ON version.id = gate.version "
        "WHERE first IS NOT NULL",
        *(ladder.id, 2 * PLACEMENT),
    )
    taken, rated = (
        sorted(seconds for start, end in times if (seconds := _seconds(start, datetime.fromisoformat(end))) is not None)
        for times in (gates, firsts)
    )
    ((count,),) = ladder.file.rows(  # without those of finals, which came later
        "SELECT (SELECT count(*) FROM game) - (SELECT count(*) FROM fixture CROSS JOIN game "
        "ON game.fixture = fixture.id WHERE tournament > ? AND void IS NULL)",
        ladder.id,
    )
    return {
        "waiting": waiting,
        "placing": [row["team"] for row in board if row["provisional"] and row["version"] is not None],
        "playing": [{"number": one.number, "players": list(one.players)} for one in playing_now(ladder)],
        "games": count,
        "games_per_minute": round(len(recent) / 5, 1),
        "machines": ladder.machines(latest=RECENT_GAMES),
        "gate_seconds": _spread(taken),
        "rated_seconds": _spread(rated),
        "faults": faults(ladder),
        "odd_pairs": odd_pairs(ladder, {version: elo for version, (_, elo, _, _) in latest_ratings(ladder).items()}),
        "suspended": [{"team": entry.name, "reason": entry.reason} for entry in ladder.entries.all() if entry.removed],
        "refused": {entry.name: entry.reason for entry in ladder.entries.all() if entry.reason and not entry.removed},
        **clock(ladder),
    }


def _spread(seconds: list[float]) -> Json | None:
    """Returns the median and the 95th percentile of sorted times; None if there are none."""
    if not seconds:
        return None
    return {"median": seconds[len(seconds) // 2], "p95": seconds[int(len(seconds) * 0.95)]}


def faults(ladder: TournamentStore) -> list[Json]:
    """Returns the faults in the latest games by team, with their number and the latest one."""
    found: dict[str, Json] = {}
    for row in ladder.game_rows(everything=True, replays=False, latest=FAULT_GAMES):
        if row["fault"] is not None and row["stage"] == LADDER and row["void"] is None:
            name = row["second" if row["faulty"] else "first"]
            one = found.setdefault(name, {"team": name, "faults": 0, "game": row["number"], "latest": row["fault"]})
            one["faults"] += 1
    return sorted(found.values(), key=lambda row: (-row["faults"], row["team"]))


def write_everything(ladder: TournamentStore, path: Path) -> None:
    """Writes a zip with everything for staff: a backup of the file, the leaderboard, the current bots."""
    backup = path.with_name(f"{path.name}.noughts")
    try:
        ladder.file.backup(backup)
        board = leaderboard(ladder)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            file.write(backup, f"{slug(ladder.file.path.stem)}.noughts")
            heads = list(board[0]) if board else []
            cells = [["" if row[head] is None else str(row[head]) for head in heads] for row in board]
            file.writestr("leaderboard.csv", csv_text([heads, *cells]))
            entries = [entry for entry in ladder.entries.teams() if entry.version is not None]
            for entry, stem in zip(entries, slugs(entry.name for entry in entries), strict=True):
                file.writestr(f"bots/{stem}.py", ladder.entries.source(entry.name, entry.version or 0))
    finally:
        backup.unlink(missing_ok=True)


def latest_ratings(ladder: TournamentStore, team: str | None = None) -> dict[int, tuple[Any, ...]]:
    """Returns (games, elo, low, high) by version, for all current versions or for all versions of one team."""
    which = (
        "version IN (SELECT version FROM entry WHERE tournament = ?1)"
        if team is None
        else "version IN (SELECT version.id FROM version JOIN bot ON bot.id = bot WHERE name = ?2)"
    )
    values: tuple[object, ...] = (ladder.id,) if team is None else (ladder.id, team)
    rows = ladder.file.rows(
        f"SELECT version, max(games), elo, low, high FROM rating WHERE tournament = ?1 AND {which} GROUP BY version",
        *values,
    )
    return {version: tuple(rating) for version, *rating in rows}


def _seconds(start: str, end: datetime) -> float | None:
    """Returns the seconds between two times; None if the clock was set ahead meanwhile."""
    seconds = (end - datetime.fromisoformat(start)).total_seconds()
    return round(max(0.0, seconds), 1) if seconds <= LONGEST_SECONDS else None


def elo_data(elo: float | None, low: float | None, high: float | None) -> Json:
    return {"elo": rounded(elo), "low": rounded(low), "high": rounded(high)}


def rounded(elo: float | None) -> float | None:
    return None if elo is None else round(elo, 1)
