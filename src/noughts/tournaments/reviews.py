"""Reviews of the games of a tournament: made on all cores, kept in the tournament file, never made twice.

Each is in the file as soon as it is made, so that a run that is stopped goes on where it was. A game is reviewed again
only for a larger budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import noughts
from noughts.analysis.review import GAME_NODES, Review, from_data, is_solved, review_game, to_data
from noughts.matches.replays import from_json
from noughts.tournaments._schema import now
from noughts.tournaments.store import Tournament
from noughts.workers import call_in_workers


def reviews_of(tournament: Tournament) -> dict[int, Review]:
    """Those in the file, by the ids of games. What is damaged counts as not there."""
    found = {}
    for game, data in tournament.file.rows(
        "SELECT review.game, data FROM review JOIN game ON game.id = review.game "
        "JOIN fixture ON fixture.id = game.fixture WHERE tournament = ?",
        tournament.id,
    ):
        try:
            found[game] = from_data(json.loads(data))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError):
            continue
    return found


@dataclass(frozen=True)
class Due:
    """Games that are to be reviewed: their ids. of: all games that count."""

    games: tuple[int, ...]
    of: int


def due(tournament: Tournament, nodes: int = GAME_NODES, name: str | None = None) -> Due:
    """Which games that count have no review of such a budget yet; of one contestant if a name is given."""
    enough = 0 if is_solved(tournament.game) else nodes
    kept = dict(tournament.file.rows("SELECT game, nodes FROM review"))
    games = [game["id"] for game in tournament.told_games(name=name, replays=False)]
    return Due(tuple(game for game in games if kept.get(game, -1) < enough), len(games))


def review_all(tournament: Tournament, games: Due, nodes: int = GAME_NODES, jobs: int = 1) -> Iterator[int]:
    """Review games, and keep what is found; how many are done, after each. The file must be open for writing."""
    for done, (game, data) in enumerate(_reviewed(tournament, games, nodes, jobs), 1):
        with tournament.file.change():
            tournament.file.do(
                "INSERT OR REPLACE INTO review VALUES (?, ?, ?, ?, ?)",
                *(game, json.loads(data)["nodes"], noughts.__version__, now(), data),
            )
        yield done


def _reviewed(tournament: Tournament, games: Due, nodes: int, jobs: int) -> Iterator[tuple[int, str]]:
    """(id of a game, its review as JSON) in the order in which they are made."""

    def tasks() -> Iterator[tuple[int, str, int]]:
        for game in games.games:
            yield game, tournament.file.rows("SELECT replay FROM game WHERE id = ?", game)[0][0], nodes

    if jobs == 1 or len(games.games) == 1:
        yield from ((task[0], _review(task)) for task in tasks())
        return
    for task, review in call_in_workers(_review, tasks(), jobs):
        yield task[0], review


def _review(task: tuple[int, str, int]) -> str:
    _, replay, nodes = task
    return json.dumps(to_data(review_game(from_json(replay), nodes)), separators=(",", ":"))
