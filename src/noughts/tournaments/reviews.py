"""Reviews the games of a tournament on all cores, and stores the reviews in the tournament file.

Each review is stored as soon as it is made, so that a stopped run can continue. A game is reviewed again only with a
larger budget, or if its review has an older format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import noughts
from noughts.analysis.evaluator import NODES, Evaluator, evaluator_for
from noughts.analysis.mistakes import FORMAT, Review, from_data, review, to_data
from noughts.database import VALUE
from noughts.game import Game
from noughts.matches.replays import from_json
from noughts.matches.store_file import now
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.store import TournamentStore
from noughts.untrusted import parse_json
from noughts.workers import call_in_workers

REVIEWED_GAMES = 2000
"""Losses on a ladder are reviewed among this many games, the newest."""


def reviews_of(tournament: TournamentStore) -> dict[int, Review]:
    """Returns the reviews in the file, by the ids of games. Leaves out damaged ones and those of an older format."""
    found = {}
    for game, data in tournament.file.rows(
        "SELECT review.game, data FROM review JOIN game ON game.id = review.game "
        "JOIN fixture ON fixture.id = game.fixture WHERE tournament = ?",
        tournament.id,
    ):
        try:
            found[game] = from_data(parse_json(data, VALUE))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            continue
    return found


def review_of(tournament: TournamentStore, game: int) -> Review | None:
    """Returns the review of a game by its id; None if there is none in the current format."""
    for (data,) in tournament.file.rows("SELECT data FROM review WHERE game = ?", game):
        with suppress(KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            return from_data(parse_json(data, VALUE))
    return None


@dataclass(frozen=True)
class UnreviewedGames:
    """The ids of games to review. old: number of games with a review in an older format."""

    games: tuple[int, ...]
    old: int


CURRENT = f'{{"format":{FORMAT},%'
"""Pattern, for SQL's LIKE, of reviews in the current format."""


def old_reviews(tournament: TournamentStore) -> int:
    """Returns the number of reviews in an older format."""
    return int(tournament.file.rows("SELECT COUNT(*) FROM review WHERE data NOT LIKE ?", CURRENT)[0][0])


def unreviewed_games(tournament: TournamentStore, nodes: int = NODES, name: str | None = None) -> UnreviewedGames:
    """Returns the games that count and have no review with this budget; of one contestant if a name is given."""
    enough = 0 if _evaluator(tournament.game, nodes).solution is not None else nodes
    rows = tournament.file.rows("SELECT game, nodes, data LIKE ? FROM review", CURRENT)
    kept = {game: spent for game, spent, current in rows if current}
    old = {game for game, _, current in rows if not current}
    games = [game["id"] for game in tournament.game_rows(name=name, replays=False)]
    waiting = tuple(game for game in games if kept.get(game, -1) < enough)
    return UnreviewedGames(waiting, len(old.intersection(waiting)))


def review_all(tournament: TournamentStore, games: UnreviewedGames, nodes: int = NODES, jobs: int = 1) -> Iterator[int]:
    """Reviews games and stores the reviews. Yields the number of finished ones. The file must be open for writing."""
    for done, (game, data) in enumerate(_make_reviews(tournament, games, nodes, jobs), 1):
        with tournament.file.change():
            tournament.file.do(
                "INSERT OR REPLACE INTO review VALUES (?, ?, ?, ?, ?)",
                *(game, json.loads(data)["nodes"], noughts.__version__, now(), data),
            )
        yield done


def _make_reviews(
    tournament: TournamentStore, games: UnreviewedGames, nodes: int, jobs: int
) -> Iterator[tuple[int, str]]:
    """Yields (id of a game, its review as JSON) in the order in which they are made."""

    def tasks() -> Iterator[tuple[int, str, int]]:
        for game in games.games:
            yield game, tournament.file.rows("SELECT replay FROM game WHERE id = ?", game)[0][0], nodes

    if jobs == 1 or len(games.games) == 1:
        yield from ((task[0], review_task(task)) for task in tasks())
        return
    for task, made in call_in_workers(review_task, tasks(), jobs):
        yield task[0], made


@lru_cache(maxsize=2)
def _evaluator(game: Game, nodes: int) -> Evaluator:
    return evaluator_for(game, nodes)


def review_task(task: tuple[int, str, int]) -> str:
    """Returns the review of a game as JSON. task: the id of the game, its replay, and nodes for each position."""
    _, replay, nodes = task
    record = from_json(replay)
    return json.dumps(to_data(review(record, evaluator=_evaluator(record.game, nodes))), separators=(",", ":"))


def next_loss(ladder: TournamentStore, skip: set[int]) -> tuple[int, str] | None:
    """Returns the id and the replay of the newest unreviewed game that was lost on the board."""
    rows = ladder.file.rows(
        "SELECT game.id FROM game CROSS JOIN fixture ON fixture.id = game.fixture WHERE tournament = ? AND stage = ? "
        "AND void IS NULL AND first_points <> second_points AND faulty IS NULL "
        "AND game.id > (SELECT max(id) FROM game) - ? "
        "AND NOT EXISTS (SELECT 1 FROM review WHERE review.game = game.id) ORDER BY game.id DESC LIMIT ?",
        *(ladder.id, LADDER, REVIEWED_GAMES, len(skip) + 1),
    )
    for (game,) in rows:
        if game not in skip:
            return game, ladder.file.rows("SELECT replay FROM game WHERE id = ?", game)[0][0]
    return None
