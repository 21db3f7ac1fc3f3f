"""Reviews the games of a tournament on all cores, and stores the reviews in the tournament file.

Each review is stored as soon as it is made, so that a stopped run can continue. A game is reviewed again only with a
larger budget, or if its review has an older format.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import inf
from typing import Any

import noughts
from noughts.analysis.evaluator import NODES, Evaluator, evaluator_for
from noughts.analysis.mistakes import FORMAT, Review, from_data, review, to_data
from noughts.database import VALUE
from noughts.game import Game
from noughts.matches.replays import from_json
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.store import TournamentStore
from noughts.untrusted import MALFORMED, parse_json
from noughts.workers import call_in_workers

REVIEWED_GAMES = 2000
"""Losses on a ladder are reviewed among this many games, the newest."""


def reviews_of(tournament: TournamentStore) -> dict[int, Review]:
    """Returns the reviews in the file, by the ids of games. Leaves out damaged ones and those of an older format."""
    rows = tournament.file.rows(
        "SELECT review.game, data FROM review JOIN game ON game.id = review.game "
        "JOIN fixture ON fixture.id = game.fixture WHERE tournament = ?",
        tournament.id,
    )
    return {game: found for game, data in rows if (found := _read(data)) is not None}


def review_of(tournament: TournamentStore, game: int) -> Review | None:
    """Returns the review of a game by its id; None if there is none in the current format."""
    rows = tournament.file.rows("SELECT data FROM review WHERE game = ?", game)
    return _read(rows[0][0]) if rows else None


def _read(data: str) -> Review | None:
    """Returns a review from the file; None if it is damaged or has an older format."""
    with suppress(*MALFORMED):
        return from_data(parse_json(data, VALUE))
    return None


def store_review(tournament: TournamentStore, game: int, data: str) -> None:
    """Stores a review of `review_task`. The file must be open for writing."""
    with tournament.file.change():
        tournament.file.do(
            "INSERT OR REPLACE INTO review VALUES (?, ?, ?, ?, ?)",
            *(game, json.loads(data)["nodes"], noughts.__version__, tournament.file.now(), data),
        )


CURRENT = f'{{"format":{FORMAT},%'
"""Pattern, for SQL's LIKE, of reviews in the current format."""


def old_reviews(tournament: TournamentStore, games: Sequence[int] | None = None) -> int:
    """Returns the number of reviews in an older format, of these games or of all in the file."""
    old = {game for (game,) in tournament.file.rows("SELECT game FROM review WHERE data NOT LIKE ?", CURRENT)}
    return len(old if games is None else old.intersection(games))


def unreviewed_games(tournament: TournamentStore, nodes: int = NODES, name: str | None = None) -> list[int]:
    """Returns the ids of games that count and have no review with this budget; of one contestant if a name is given.

    The newest losses come first: a report shows a team why it lost, and may be wanted before all games are reviewed.
    """
    enough = 0 if _evaluator(tournament.game, nodes).solution is not None else nodes
    spent = dict(tournament.file.rows("SELECT game, nodes FROM review WHERE data LIKE ?", CURRENT))
    games = _newest_losses_first(tournament.game_rows(name=name, replays=False), name)
    return [game for game in games if spent.get(game, -1) < enough]


def _newest_losses_first(games: Iterable[Mapping[str, Any]], name: str | None) -> list[int]:
    """Returns the ids of games: the newest loss on the board of each contestant, then everybody's second newest, and so
    on; last draws and forfeits. name: the only contestant whose losses come first.
    """
    losses = Counter[str]()
    ranks: dict[int, float] = {}
    for game in sorted(games, key=lambda game: -game["id"]):
        loser = game["first" if game["first_points"] < game["second_points"] else "second"]
        on_board = game["first_points"] != game["second_points"] and game["faulty"] is None
        if counts := on_board and name in (None, loser):
            losses[loser] += 1
        ranks[game["id"]] = losses[loser] if counts else inf
    return sorted(ranks, key=ranks.__getitem__)


def review_all(tournament: TournamentStore, games: Sequence[int], nodes: int = NODES, jobs: int = 1) -> Iterator[int]:
    """Reviews games and stores the reviews. Yields the number of finished ones. The file must be open for writing."""
    query = "SELECT id, replay FROM game WHERE id = ?"
    tasks = ((*tournament.file.rows(query, game)[0], nodes) for game in games)
    in_process = jobs == 1 or len(games) == 1
    made = ((task, review_task(task)) for task in tasks) if in_process else call_in_workers(review_task, tasks, jobs)
    for done, ((game, *_), data) in enumerate(made, 1):
        store_review(tournament, game, data)
        yield done


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
