"""Gathers everything that a report shows as plain data, for `static/report.js`.

Data that an audience may not see is left out: `Visibility` decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from noughts import board
from noughts.analysis.mistakes import to_data
from noughts.document import Json
from noughts.game import Game
from noughts.matches.page import game_data
from noughts.matches.store import STAGE
from noughts.matches.tally import tallies
from noughts.progress import Tick
from noughts.report._patterns import ReviewedGame, patterns
from noughts.sandbox.faults import KINDS
from noughts.tournaments.puzzles import costly_mistakes
from noughts.tournaments.results import Fixture, Result
from noughts.tournaments.standings import cross_table
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import BOTH_PLAYERS, STAFF, Visibility

TOP = 3
GAMES_SHOWN = 100
"""Maximum number of games that a fault links to."""
PUZZLES_SHOWN = 12
QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass
class ReportData:
    """A report as data. head: everything but the games. games: by number. teams: the indices of each game's teams."""

    head: Json
    tables: Json
    games: dict[int, Json]
    teams: dict[int, tuple[int, int]]
    pages: dict[int, str] = field(default_factory=dict)


def gather(
    view: TournamentView,
    visibility: Visibility = STAFF,
    marks: Iterable[Json] = (),
    tick: Tick | None = None,
) -> ReportData:
    """Returns the report of a tournament for an audience. The report for a team has the boards of its own games.

    marks: of all teams, as `Mark.to_data` gives them; an audience sees its own. tick: called with the share done.
    """
    tournament, limit = view.tournament, view.settings.seconds
    reviewed = _reviewed_games(view, visibility)
    if tournament.is_match:
        return match_report(tournament.game, reviewed, limit, visibility, tick)
    found = view.standings
    order = found.facts(view.entries, TOP)
    number_of = {row["name"]: number for number, row in enumerate(order)}
    head: Json = {
        "title": tournament.name if tournament.name != "main" else tournament.file.path.stem,
        "notice": view.settings.notice,
        "format": view.settings.format,
        "status": _status(view),
        "top": TOP,
        "teams": [_team(row) | {"late": row["late"] if visibility.owns(row["name"]) else ""} for row in order],
        "rated": True,
        "extra": len(found.extra),
        "ordered_by": found.ordered_by,
        "marks": [mark for mark in marks if visibility.owns(mark["name"])],
        "stages": [
            {
                "stage": stage,
                "pool": pool,
                "go_on": found.form.qualify(stage),
                "rows": [[number_of[row.name], row.points] for row in rows],
                "cross": cross_table(
                    (_result(one) for one in reviewed if (one.stage, one.pool) == (stage, pool)),
                    [row.name for row in rows],
                ),
            }
            for (stage, pool), rows in found.stages.items()
        ],
        "out": [
            {
                "name": entry.name,
                "reason": entry.reason,
                "fate": view.status_words(entry),
                "plays": entry.plays,
            }
            for entry in visibility.gate_results(view.entries)
        ],
        "slow": _slow(view),
    }
    return report_of(tournament.game, reviewed, list(number_of), limit, head, visibility, tick)


def match_report(
    game: Game,
    reviewed: Sequence[ReviewedGame],
    limit: float | None,
    visibility: Visibility = STAFF,
    tick: Tick | None = None,
) -> ReportData:
    """Returns the report of a match: two players, and their games to step through."""
    players = dict.fromkeys(name for one in reviewed for name in one.record.players)
    ranked = sorted(tallies(list(players), [one.record for one in reviewed]), key=lambda tally: -tally.points)
    names = [tally.name for tally in ranked]
    head: Json = {
        "title": " - ".join(names),
        "notice": "",
        "format": STAGE,
        "status": {"games": len(reviewed), "of": len(reviewed), "finished": True},
        "top": 1,
        "teams": [
            {**tally.to_data(), "staff": False, "points_per_game": round(tally.points_per_game, 2)} for tally in ranked
        ],
        "rated": False,
        "extra": 0,
        "ordered_by": "points",
        "marks": [],
        "stages": [],
        "out": [],
        "slow": None,
    }
    return report_of(game, reviewed, names, limit, head, visibility, tick)


def report_of(
    game: Game,
    reviewed: Sequence[ReviewedGame],
    names: Sequence[str],
    limit: float | None,
    head: Json,
    visibility: Visibility = STAFF,
    tick: Tick | None = None,
) -> ReportData:
    """Returns the report of these games for an audience. names: of the contestants, in order. limit: seconds for a
    move, None if there is none. head: further facts. tick: called with the share done.
    """
    number_of = {name: number for number, name in enumerate(names)}
    reviews = [(one.number, one.record, one.review) for one in reviewed if one.review is not None]
    archive = board.Archive(game)
    games, teams = {}, {}
    for done, one in enumerate(reviewed, 1):
        teams[one.number] = (number_of[one.record.players[0]], number_of[one.record.players[1]])
        if visibility.team is None or visibility.team in one.record.players:
            review = None if one.review is None else to_data(one.review)
            games[one.number] = game_data(one.record, archive, review)
        if tick is not None:
            tick(done / len(reviewed))
    patterns_of = patterns(reviewed, names, limit or inf)
    head |= {
        "game": game.rules.title,
        "limit": limit,
        "audience": visibility.audience,
        "whose": BOTH_PLAYERS if head["format"] == STAGE and visibility == STAFF else visibility.words,
        "own": number_of.get(visibility.team or ""),
        "cross": cross_table(map(_result, reviewed), names),
        "endings": Counter(one.record.reason for one in reviewed).most_common(),
        "games": [_game_row(one, teams[one.number]) for one in reviewed],
        "reviewed": len(reviews),
        "patterns": [patterns_of[name] if visibility.owns(name) else [] for name in names],
        "puzzles": [
            [[number, mistake.ply] for number, _, mistake in costly_mistakes(reviews, name)[:PUZZLES_SHOWN]]
            if visibility.owns(name)
            else []
            for name in names
        ],
        "times": [_times(reviewed, name, limit) for name in names],
        "faults": _faults(reviewed, number_of),
    }
    return ReportData(head, archive.tables(), games, teams)


def _reviewed_games(view: TournamentView, visibility: Visibility) -> list[ReviewedGame]:
    return [
        ReviewedGame(
            *(row["number"], row["stage"], row["pool"], row["round"]),
            visibility.game(view.records[row["id"]]),
            view.reviews.get(row["id"]),
        )
        for row in view.games
    ]


def _team(row: dict[str, Any]) -> Json:
    keys = "name staff games won drawn lost points points_per_game faults elo elo_low elo_high".split()
    keys += "component reached tie_break".split()
    return {key: row[key] for key in keys} | {"top": row[f"top_{TOP}"], "version": row["version"]}


def _result(one: ReviewedGame) -> Result:
    first, second = one.record.players
    points = one.record.points[0], one.record.points[1]
    return Result(Fixture(first, second, one.stage, one.pool, one.round), points, one.record.faulty)


def _game_row(one: ReviewedGame, teams: tuple[int, int]) -> list[Any]:
    """Returns [number, stage, pool, round, first, second, points of both, reason, seat at fault or null, moves,
    reviewed].
    """
    record = one.record
    place = one.number, one.stage, one.pool, one.round
    return [*place, *teams, *record.points, record.reason, record.faulty, len(record.moves), one.review is not None]


def _status(view: TournamentView) -> Json:
    try:
        status = view.status
    except ValueError:
        return {"games": 0, "of": 0, "finished": False}
    return {"games": status.games, "of": status.total, "finished": status.finished}


def _times(reviewed: Sequence[ReviewedGame], name: str, limit: float | None) -> Json | None:
    """Returns the seconds of a contestant's moves: quantiles, and the share of the time limit that it used."""
    played = ((one.record, seat) for one in reviewed for seat in one.seats_of(name))
    taken = sorted(seconds for record, seat in played for seconds in record.seconds_of(seat))
    if not taken:
        return None
    return {
        "quantiles": [round(taken[min(len(taken) - 1, int(part * len(taken)))], 4) for part in QUANTILES],
        "moves": len(taken),
        "share": round(sum(taken) / (len(taken) * limit), 5) if limit else None,
    }


def _faults(reviewed: Iterable[ReviewedGame], number_of: dict[str, int]) -> list[Json]:
    """Returns a line for each team and kind of fault, with its count and the first games.

    Faults whose texts begin alike are merged: an invalid move also lists the allowed ones.
    """
    seen: dict[tuple[int, str, str], list[int]] = {}
    texts: dict[tuple[int, str, str], set[str]] = {}
    for one in reviewed:
        record = one.record
        if record.fault is None or record.faulty is None:
            continue
        team = number_of[record.players[record.faulty]]
        key = team, record.fault.kind, record.fault.text.partition("; allowed: ")[0]
        seen.setdefault(key, []).append(one.number)
        texts.setdefault(key, set()).add(record.fault.text)
    return [
        {
            "team": key[0],
            "kind": key[1],
            "text": next(iter(texts[key])) if len(texts[key]) == 1 else key[2],
            "games": numbers[:GAMES_SHOWN],
            "count": len(numbers),
        }
        for key, numbers in sorted(seen.items(), key=lambda item: (item[0][0], KINDS.index(item[0][1])))
    ]


def _slow(view: TournamentView) -> Json | None:
    slow = view.slow_games
    return None if slow is None else {"games": slow.games, "worst": round(slow.worst, 3), "lost": len(slow.lost)}
