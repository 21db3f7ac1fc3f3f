"""Everything that a report shows, as plain data: what `static/report.js` reads.

Who may see what is decided here and nowhere else: what an audience may not see is not in the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from noughts import board
from noughts.analysis.mistakes import Review, to_data
from noughts.matches.page import Json, Shown, game_data
from noughts.matches.record import GameRecord
from noughts.matches.replays import from_json
from noughts.report._patterns import Told, patterns
from noughts.sandbox.faults import KINDS
from noughts.tournaments.reviews import reviews_of
from noughts.tournaments.store import Tournament
from noughts.tournaments.summary import slow_games, standings_of, status_of

Tick = Callable[[float], None]
TOP = 3
QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Audience:
    """Who a report is for: the staff, who see everything; one team, which sees its own games and words; or anybody, who
    sees results and moves, and nobody's words.
    """

    team: str | None = None
    public: bool = False

    def games(self, game: GameRecord) -> bool:
        """Whether a game can be stepped through."""
        return self.team is None or self.team in game.players

    def shown(self, record: GameRecord) -> Shown:
        if self.public:
            return Shown((), faults=False)
        return Shown(tuple(seat for seat in (0, 1) if self.team in (None, record.players[seat])))

    def analysed(self, name: str) -> bool:
        """Whether what was found about a team is shown."""
        return not self.public and self.team in (None, name)


@dataclass
class Report:
    """head: everything but the games, which are by number; each with the two teams (by their places in the order)."""

    head: Json
    tables: Json
    games: dict[int, Json]
    teams: dict[int, tuple[int, int]]
    pages: dict[int, str] = field(default_factory=dict)


def gather(tournament: Tournament, audience: Audience | None = None, tick: Tick | None = None) -> Report:
    """The report of a tournament as its file has it. tick: is told the share done."""
    audience = audience or Audience()
    found = standings_of(tournament)
    order = found.facts(tournament, TOP)
    number_of = {row["name"]: number for number, row in enumerate(order)}
    reviews = reviews_of(tournament)
    told = _told(tournament, reviews, tick)
    archive = board.Archive(tournament.game)
    games, teams = {}, {}
    for one in told:
        teams[one.number] = (number_of[one.record.players[0]], number_of[one.record.players[1]])
        if audience.games(one.record):
            review = None if one.review is None else to_data(one.review)
            games[one.number] = game_data(one.record, archive, review, audience.shown(one.record))
    limit = tournament.settings.seconds
    said = patterns(told, [row["name"] for row in order], limit)
    head: Json = {
        "title": tournament.name if tournament.name != "main" else tournament.file.path.stem,
        "game": tournament.game.rules.title,
        "format": tournament.settings.format,
        "limit": limit,
        "audience": "public" if audience.public else "staff" if audience.team is None else "team",
        "own": number_of.get(audience.team or ""),
        "status": _status(tournament),
        "top": TOP,
        "teams": [_team(row) for row in order],
        "rated": True,
        "extra": len(found.extra),
        "stages": [
            {
                "stage": stage,
                "pool": pool,
                "rows": [[number_of[row.name], row.games, row.won, row.drawn, row.lost, row.points] for row in rows],
            }
            for (stage, pool), rows in found.stages.items()
        ],
        "games": [game_row(one, teams[one.number]) for one in told],
        "reviewed": sum(one.review is not None for one in told),
        "times": [_times(told, row["name"], limit) for row in order],
        "patterns": [said[row["name"]] if audience.analysed(row["name"]) else [] for row in order],
        "faults": _faults(told, number_of, audience),
        "out": [] if audience.public else _out(tournament, audience),
        "slow": _slow(tournament),
    }
    return Report(head, archive.tables(), games, teams)


def _told(tournament: Tournament, reviews: dict[int, Review], tick: Tick | None) -> list[Told]:
    rows = list(tournament.told_games())
    told = []
    for done, row in enumerate(rows, 1):
        record = from_json(row["replay"])
        record.players = row["first"], row["second"]  # in a replay they are made fit for a terminal
        told.append(Told(row["number"], row["stage"], row["pool"], row["round"], record, reviews.get(row["id"])))
        if tick is not None:
            tick(done / len(rows))
    return told


def _team(row: dict[str, Any]) -> Json:
    keys = "name staff games won drawn lost points points_per_game faults elo elo_low elo_high component".split()
    return {key: row[key] for key in keys} | {"top": row[f"top_{TOP}"], "version": row["version"]}


def game_row(one: Told, teams: tuple[int, int]) -> list[Any]:
    """[number, stage, pool, round, first, second, points of both, reason, seat at fault or null, moves]"""
    record = one.record
    place = one.number, one.stage, one.pool, one.round
    return [*place, *teams, *record.points, record.reason, record.faulty, len(record.moves)]


def _status(tournament: Tournament) -> Json:
    try:
        status = status_of(tournament)
    except ValueError:
        return {"games": 0, "of": 0, "finished": False}
    return {"games": status.games, "of": status.of, "finished": status.finished}


def _times(told: Sequence[Told], name: str, limit: float) -> Json | None:
    """Seconds of a contestant's moves: quantiles, and how many were near the limit."""
    taken = sorted(seconds for one in told for seat, seconds in one.moves_of(name))
    if not taken:
        return None
    return {
        "quantiles": [round(taken[min(len(taken) - 1, int(part * len(taken)))], 4) for part in QUANTILES],
        "moves": len(taken),
        "share": round(sum(taken) / (len(taken) * limit), 5),
    }


def _faults(told: Iterable[Told], number_of: dict[str, int], audience: Audience) -> list[Json]:
    """Faults of the same team and the same words are one line, with how often and the first game."""
    seen: dict[tuple[int, str, str], list[int]] = {}
    for one in told:
        record = one.record
        if record.fault is None or record.faulty is None:
            continue
        name = record.players[record.faulty]
        text = record.fault.text if audience.analysed(name) else ""
        seen.setdefault((number_of[name], record.fault.kind, text), []).append(one.number)
    return [
        {"team": team, "kind": kind, "text": text, "games": numbers[:10], "count": len(numbers)}
        for (team, kind, text), numbers in sorted(seen.items(), key=lambda item: (item[0][0], KINDS.index(item[0][1])))
    ]


def _out(tournament: Tournament, audience: Audience) -> list[Json]:
    """Who does not play, and why."""
    return [
        {"name": entry.name, "reason": entry.reason, "plays": entry.plays}
        for entry in tournament.entries.all()
        if entry.reason and not entry.removed and audience.team in (None, entry.name)
    ]


def _slow(tournament: Tournament) -> Json | None:
    slow = slow_games(tournament)
    return None if slow is None else {"games": slow.games, "worst": round(slow.worst, 3), "lost": len(slow.lost)}
