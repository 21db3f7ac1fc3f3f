"""Reviews of the games of a tournament: made on all cores, kept in the tournament file, never made twice.

Each is in the file as soon as it is made, so that a run that is stopped goes on where it was. A game is reviewed again
only for a larger budget.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

import noughts
from noughts.analysis.review import GAME_NODES, Review, from_data, is_solved, review_game, to_data
from noughts.database import VALUE
from noughts.matches.replays import from_json
from noughts.tournaments._schema import now
from noughts.tournaments.store import Tournament
from noughts.untrusted import parse_json

WAITING = 4
"""Games that are handed to each process ahead, so that none ever waits."""


def reviews_of(tournament: Tournament) -> dict[int, Review]:
    """Those in the file, by the ids of games. What is damaged counts as not there."""
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

    def tasks() -> Iterator[tuple[int, str]]:
        for game in games.games:
            yield game, tournament.file.rows("SELECT replay FROM game WHERE id = ?", game)[0][0]

    if jobs == 1 or len(games.games) == 1:
        yield from ((game, _review(replay, nodes)) for game, replay in tasks())
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_ctrl_c_to_the_parent)
    coming, running = tasks(), dict[Future[str], int]()
    try:
        while True:
            for game, replay in islice(coming, WAITING * jobs - len(running)):
                running[pool.submit(_review, replay, nodes)] = game
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _review(replay: str, nodes: int) -> str:
    return json.dumps(to_data(review_game(from_json(replay), nodes)), separators=(",", ":"))
