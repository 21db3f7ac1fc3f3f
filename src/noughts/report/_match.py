"""A match as a page: two players, and their games to step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from noughts.analysis.mistakes import Review
from noughts.document import Json
from noughts.matches.record import GameRecord
from noughts.matches.tally import tallies
from noughts.report._gather import report_of
from noughts.report._patterns import ReviewedGame
from noughts.report._write import page


def match_page(records: Sequence[GameRecord], limit: float | None, reviews: Mapping[int, Review] | None = None) -> str:
    """Returns the page of a match. reviews: by the indices of the records, if any."""
    players = dict.fromkeys(name for record in records for name in record.players)
    ranked = sorted(tallies(list(players), records), key=lambda tally: -tally.points)
    known = reviews or {}
    reviewed = [
        ReviewedGame(number + 1, "match", 1, record.round, record, known.get(number))
        for number, record in enumerate(records)
    ]
    names = [tally.name for tally in ranked]
    head: Json = {
        "title": " - ".join(names),
        "notice": "",
        "format": "match",
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
    return page(report_of(records[0].game, reviewed, names, limit, head))
