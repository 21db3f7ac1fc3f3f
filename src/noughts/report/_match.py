"""A match as a page: two players, their games, each to step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from noughts import board
from noughts.analysis.mistakes import Review, to_data
from noughts.matches.page import Json, game_data, names_of
from noughts.matches.record import GameRecord
from noughts.matches.tally import tallies
from noughts.report._gather import Report, game_row
from noughts.report._patterns import ReviewedGame, patterns
from noughts.report._write import page


def match_page(records: Sequence[GameRecord], limit: float | None, reviews: Mapping[int, Review] | None = None) -> str:
    """The page of a match. reviews: by the places of the records, if there are some."""
    game = records[0].game
    ranked = sorted(tallies(names_of(records), records), key=lambda tally: -tally.points)
    names = [tally.name for tally in ranked]
    archive = board.Archive(game)
    known = reviews or {}
    told = [
        ReviewedGame(number + 1, "match", 1, record.round, record, known.get(number))
        for number, record in enumerate(records)
    ]
    games = {
        one.number: game_data(one.record, archive, None if one.review is None else to_data(one.review)) for one in told
    }
    teams = {one.number: (names.index(one.record.players[0]), names.index(one.record.players[1])) for one in told}
    said = patterns(told, names, limit or inf)
    head: Json = {
        "title": " - ".join(names),
        "game": game.rules.title,
        "notice": "",
        "format": "match",
        "limit": limit,
        "audience": "staff",
        "own": None,
        "status": {"games": len(told), "of": len(told), "finished": True},
        "top": 1,
        "teams": [
            {**tally.to_data(), "staff": False, "points_per_game": round(tally.points_per_game, 2)} for tally in ranked
        ],
        "rated": False,
        "extra": 0,
        "ordered_by": "points",
        "marks": [],
        "puzzles": [[] for _ in names],
        "stages": [],
        "games": [game_row(one, teams[one.number]) for one in told],
        "reviewed": len(known),
        "times": [None for _ in names],
        "patterns": [said[name] for name in names],
        "faults": [],
        "out": [],
        "slow": None,
    }
    return page(Report(head, archive.tables(), games, teams))
