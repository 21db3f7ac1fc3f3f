"""Views of one team on a ladder: its versions, including those at the gate, ratings, opponents, games and friendly
matches.

Every function takes the `Visibility` of the request. No function reads all games of a ladder, so costs do not grow over
the months.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from noughts.analysis.mistakes import Review
from noughts.analysis.puzzles import to_json as puzzles_json
from noughts.bots.gate import GAMES
from noughts.database import VALUE
from noughts.document import Json
from noughts.matches.exports import game_files
from noughts.matches.record import GameRecord, result_of
from noughts.matches.tally import Tally
from noughts.tournaments._entries import Entry
from noughts.tournaments._ladder import FRIENDLY, LADDER
from noughts.tournaments.ladder import asked_today, may_ask
from noughts.tournaments.ladder_view import UNRATED, clock, elo_data, entry_state, latest_ratings, rounded
from noughts.tournaments.names import natural_order
from noughts.tournaments.puzzles import puzzles_of
from noughts.tournaments.reviews import REVIEWED_GAMES, review_of
from noughts.tournaments.standings import FAULT
from noughts.tournaments.store import TournamentStore, file_name, record_of
from noughts.tournaments.visibility import Visibility
from noughts.untrusted import parse_json

CURVE_POINTS = 400
"""Maximum points of a curve; further ones are thinned out."""
GAMES_SHOWN = 50
FRIENDLIES_SHOWN = 20
ZIP_GAMES = 100
"""Maximum games in a team's zip, the newest. The log of a game of extreme takes 30 ms."""
GAME_KEYS = (
    "number stage round first second first_version second_version winner reason first_points second_points faulty "
    "fault plies first_seconds second_seconds finished"
).split()


def team_view(ladder: TournamentStore, team: str, visibility: Visibility) -> Json:
    """Returns everything about a team except its games: versions, ratings over time, record against each opponent."""
    entry, own = ladder.entries.find(team), visibility.owns(team)
    return {
        "team": entry.name,
        "alias": entry.alias if own and ladder.settings.pseudonyms else None,
        "yardstick": entry.staff,
        "state": entry_state(entry),
        "reason": entry.reason if own else None,
        "notices": notices(entry, clock(ladder)["open"]) if own else [],
        "own": own,
        "willing": entry.willing,
        "versions": versions(ladder, entry, visibility),
        "curve": curve(ladder, team),
        "opponents": opponents(ladder, entry, visibility),
        "friendlies": friendlies(ladder, entry, visibility) if own and not entry.staff else None,
    }


def notices(entry: Entry, is_open: bool) -> list[str]:
    """Returns urgent notices for a team: that it is suspended, or that its latest version does not play. is_open:
    whether uploads are open.
    """
    if entry.removed:
        return [f"Your team is suspended{f': {entry.reason}' if entry.reason else ''}. Ask the staff."]
    if not entry.reason or entry.candidate_id is not None:
        return []
    plays = f"Version {entry.version} keeps playing." if entry.plays else "Your team has no version that plays."
    fix = " Fix the bot and upload it again." if is_open else ""
    return [f"Your latest version does not play. {plays}{fix} Reason: {entry.reason}"]


def friendlies(ladder: TournamentStore, entry: Entry, visibility: Visibility) -> Json:
    """Returns the friendly matches of a team, requested by it or by others, its possible opponents, and the number of
    further requests today.
    """
    entries = ladder.entries.all()
    names = {each.id: visibility.name(each.name) for each in entries}
    rows = ladder.file.rows(
        "SELECT id, asker, opponent, asked FROM friendly WHERE tournament = ? AND ? IN (asker, opponent) "
        "ORDER BY id DESC LIMIT ?",
        *(ladder.id, entry.id, FRIENDLIES_SHOWN),
    )
    matches: list[Json] = []
    for number, asker, opponent, asked in rows:
        games = ladder.file.rows(
            "SELECT fixture.id, first, first_points, second_points, game.reason, faulty FROM fixture "
            "JOIN game ON game.fixture = fixture.id WHERE tournament = ?1 AND first IN (?2, ?3) AND second IN (?2, ?3) "
            "AND stage = ?4 AND pool = 1 AND round = ?5 AND void IS NULL ORDER BY fixture.id",
            *(ladder.id, asker, opponent, FRIENDLY, number),
        )
        matches.append(
            {
                "asked_by_us": asker == entry.id,
                "opponent": names[opponent if asker == entry.id else asker],
                "asked": asked,
                "games": [
                    {
                        "number": game,
                        "result": result_of(ours, theirs) if first == entry.id else result_of(theirs, ours),
                        "fault": None if faulty is None else reason,
                    }
                    for game, first, ours, theirs, reason, faulty in games
                ],
            }
        )
    return {
        "matches": matches,
        "left": max(0, ladder.settings.friendlies - asked_today(ladder, entry)),
        "opponents": sorted((names[each.id] for each in entries if may_ask(entry, each)), key=natural_order),
    }


def versions(ladder: TournamentStore, entry: Entry, visibility: Visibility) -> list[Json]:
    """Returns the versions of a team, the newest first. The public sees only those that have played."""
    rows = ladder.file.rows(
        "SELECT version.id, number, added, decided, gate.reason FROM version JOIN bot ON bot.id = version.bot "
        "LEFT JOIN gate ON gate.version = version.id AND gate.tournament = ? WHERE name = ? ORDER BY number",
        *(ladder.id, entry.name),
    )
    rated = latest_ratings(ladder, entry.name)
    found: list[Json] = []
    before: float | None = None
    for version, number, added, decided, reason in rows:
        games, elo, low, high = rated.get(version, UNRATED)
        failed = bool(reason) and not ladder.entries.admits(reason)
        if version == entry.version_id:
            state = "plays"
        elif version == entry.candidate_id:
            state = "at the gate"
        else:
            state = "failed" if failed else "replaced"
        change = elo - before if elo is not None and before is not None else None
        before = elo if elo is not None else before
        if visibility.owns(entry.name) or elo is not None or state == "plays":
            found.append(
                {
                    "version": number,
                    "state": state,
                    "uploaded": added,
                    "decided": decided,
                    "reason": reason if visibility.owns(entry.name) else None,
                    **elo_data(elo, low, high),
                    "games": games,
                    "change": rounded(change),
                }
            )
    return found[::-1]


def curve(ladder: TournamentStore, team: str) -> list[Json]:
    """Returns a team's ratings over time, oldest first, with intervals and versions."""
    rows = ladder.file.rows(
        "SELECT number, games, rated, elo, low, high FROM rating JOIN version ON version.id = rating.version "
        "JOIN bot ON bot.id = version.bot WHERE tournament = ? AND name = ? ORDER BY rating.rowid",
        *(ladder.id, team),
    )
    step = -(-len(rows) // CURVE_POINTS) or 1
    kept = [row for at, row in enumerate(rows) if (len(rows) - 1 - at) % step == 0]
    return [
        {"version": version, "games": games, "at": at, **elo_data(elo, low, high)}
        for version, games, at, elo, low, high in kept
    ]


def opponents(ladder: TournamentStore, entry: Entry, visibility: Visibility) -> list[Json]:
    """Returns the current version's record against each opponent, over all of its versions, in the order of the visible
    names, since another order would tell about the hidden ones.
    """
    found: dict[str, Tally] = {}
    for seat, (own, other) in enumerate((("first", "second"), ("second", "first"))):
        rows = ladder.file.rows(
            f"SELECT bot.name, {own}_points, {other}_points, faulty, count(*) FROM game "
            "JOIN fixture ON fixture.id = game.fixture "
            f"JOIN version ON version.id = game.{other}_version JOIN bot ON bot.id = version.bot "
            f"WHERE game.{own}_version = ? AND tournament = ? AND stage = ? AND void IS NULL GROUP BY bot.id, 2, 3, 4",
            *(entry.version_id, ladder.id, LADDER),
        )
        for name, points, against, faulty, count in rows:
            fault = None if faulty is None else FAULT
            tally = found.setdefault(name, Tally(visibility.name(name)))
            tally.add(points, against, fault=fault, own=faulty == seat, games=count)
    return [
        {"opponent": each.name, "won": each.won, "drawn": each.drawn, "lost": each.lost}
        | {"forfeits": each.forfeits.total()}
        for each in sorted(found.values(), key=lambda tally: (-tally.games, tally.name))
    ]


def games(
    ladder: TournamentStore,
    visibility: Visibility,
    team: str | None = None,
    *,
    lost: bool = False,
    before: int | None = None,
    count: int = GAMES_SHOWN,
) -> list[Json]:
    """Returns finished games, newest first. Filters: one team's, only those it lost, or before a number.

    A team sees all of its games; others see the games of current versions. `reviewed`: whether the game has a review.
    `turn`, for losses: the loser's decisive mistake, else the costliest; None if none is known.
    """
    if team is not None:
        ladder.entries.find(team)
        if not visibility.sees_page(team):
            return []
    rows: list[Json] = []
    has_review = "SELECT 1 FROM review WHERE game = ?"
    for row in _newest(ladder, team, before, everything=team is None or visibility.owns(team)):
        if row["stage"] != LADDER or row["void"] is not None or not visibility.sees_game(row):
            continue
        seat = 0 if row["first"] == team else 1
        points = (row["first_points"], row["second_points"])
        if lost and (team is None or points[seat] >= points[1 - seat]):
            continue
        visible = visibility.row(row)
        entry = {key: visible[key] for key in GAME_KEYS} | {"reviewed": bool(ladder.file.rows(has_review, row["id"]))}
        if lost:
            review = review_of(ladder, row["id"])
            entry["turn"] = None if review is None else _turn(review, seat)
        rows.append(entry)
        if len(rows) >= count:
            break
    return rows


def _newest(ladder: TournamentStore, team: str | None, before: int | None, *, everything: bool) -> Iterator[Json]:
    """Yields games, newest first, with `everything` also those of former versions. Reads a page at a time, so that
    unneeded games are not read.
    """
    last, page = before, 4 * GAMES_SHOWN
    while True:
        rows = list(ladder.game_rows(name=team, everything=everything, replays=False, latest=page, before=last))
        yield from rows
        if len(rows) < page:
            return
        last = rows[-1]["number"]


def visible_review(ladder: TournamentStore, number: int, visibility: Visibility) -> Review | None:
    """Returns the review of a game; None if there is none yet, or the game is not visible."""
    for row in ladder.game_rows(number=number, everything=True, replays=False):
        if visibility.sees_game(row):
            return review_of(ladder, row["id"])
    return None


def _turn(review: Review, loser: int) -> Json | None:
    """Returns the loser's decisive mistake, or else the costliest; None if there is none. Moves count from 1."""
    found = max(review.mistakes_of(loser), key=lambda one: (one.decisive, one.loss), default=None)
    if found is None:
        return None
    return {"move": found.ply + 1, "kind": found.kind, "loss": found.loss, "decisive": found.decisive}


def gate_view(ladder: TournamentStore, team: str, number: int, visibility: Visibility) -> Json | None:
    """Returns a version at the gate, or its result there, worded as in `noughts check`.

    Returns None if the version is hidden or does not exist.
    """
    entry = ladder.entries.find(team)
    rows = ladder.file.rows(
        "SELECT version.id, added, gate.reason, decided, report FROM version JOIN bot ON bot.id = version.bot "
        "LEFT JOIN gate ON gate.version = version.id AND gate.tournament = ? WHERE name = ? AND number = ?",
        *(ladder.id, team, number),
    )
    if not rows or not visibility.owns(team):
        return None
    version, added, reason, decided, report = rows[0]
    played = [] if reason is not None else ladder.gate_games(version)
    view: Json = {
        "team": team,
        "version": number,
        "uploaded": added,
        "decided": decided,
        "reason": reason,
        "games": [{"game": game.title, "fault": None if game.fault is None else game.fault.text} for game in played],
        "of": len(GAMES),
        "others": 0,
        "plays": entry.version if entry.plays else None,
        "words": None if report is None else parse_json(report, VALUE),
    }
    if reason is not None:
        view["state"] = "passed" if not reason else "admitted" if ladder.entries.admits(reason) else "failed"
    elif entry.candidate_id != version:
        view["state"] = "replaced"
    else:
        view["others"] = sum(each.waits for each in ladder.entries.all()) - entry.waits
        view["state"] = "checking" if played else "waiting"
    return view


def logs_zip(ladder: TournamentStore, team: str) -> bytes:
    """Returns a zip with the newest games of a team as logs and replays, including its own prints."""
    ladder.entries.find(team)
    data, visibility = io.BytesIO(), Visibility("team", team).within(ladder)
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for row in ladder.game_rows(name=team, everything=True, latest=ZIP_GAMES):
            record = visibility.game(record_of(row))
            where = {"gate": "gate", FRIENDLY: "friendlies"}.get(row["stage"], "games")
            seat = 0 if record.players[0] == team else 1
            for ending, content in game_files(record, prints_of=seat).items():
                file.writestr(f"{where}/{file_name(row, record)}{ending}", content)
    return data.getvalue()


def positions(ladder: TournamentStore, team: str, visibility: Visibility) -> str | None:
    """Returns positions from a team's lost games, as a file for `noughts check --positions`; None if there are none."""
    puzzles = puzzles_of(_reviewed_games(ladder, team), team, visibility)
    return puzzles_json(ladder.game, puzzles) if puzzles else None


def _reviewed_games(ladder: TournamentStore, team: str) -> Iterator[tuple[int, GameRecord, Review]]:
    """Yields the newest reviewed games of a team, also those of former versions, with their numbers."""
    for row in ladder.game_rows(name=team, everything=True, replays=False, latest=REVIEWED_GAMES):
        if (review := review_of(ladder, row["id"])) is not None:
            rows = ladder.game_rows(number=row["number"], everything=True)
            yield row["number"], record_of(next(game for game in rows if game["id"] == row["id"])), review
