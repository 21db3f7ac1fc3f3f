"""Live tournaments and matches: the table, the cross table, faults, and the boards in play.

A source always gives its whole state. It is read only while it is watched, in a thread, and rarely enough to take a
small share of the time. Every watcher gets the latest state, even after a reconnect.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from noughts import board
from noughts.document import Json
from noughts.game import Game, State
from noughts.matches.log import display_names, result_line
from noughts.matches.record import GameRecord
from noughts.matches.runner import Moved
from noughts.matches.tally import tallies
from noughts.printable import one_line
from noughts.tournaments import StoreError
from noughts.tournaments.live import Playing, playing_now
from noughts.tournaments.standings import BY_STAGE, cross_table
from noughts.tournaments.summary import Standings
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import Visibility
from noughts.web._archive import open_tournament
from noughts.web._fair_pool import FairThreadPool
from noughts.web._members import NOBODY
from noughts.web._quotas import Busy

log = logging.getLogger(__name__)
LEAST_SECONDS = 0.4
SHARE_OF_TIME = 0.1
BOARDS_SHOWN = 12
NEWS_SHOWN = 12
NEWS_LOOKED_AT = 200
"""Number of latest games searched for faults."""
NEWS_KEYS = "number first second winner reason plies fault faulty finished".split()
FAULTS_SHOWN = 8
CROSS_NAMES = 40
"""Maximum contestants in a cross table: larger ones are unreadable on a screen."""


class Source(Protocol):
    """A source to watch."""

    def snapshot(self, visibility: Visibility) -> Json:
        """Returns everything that this audience can see now."""
        ...


class TournamentSource:
    """A tournament file that another process may be writing."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name

    def snapshot(self, visibility: Visibility) -> Json:
        with open_tournament(self._path) as file:
            tournament = file.tournament(self._name)
            view = TournamentView(tournament)
            table = view.standings
            order = [row.name for row in table.order]
            try:
                status = view.status
                games, of = status.games, status.total
            except StoreError:  # no bot has passed the gate yet
                games = of = 0
            rows = tournament.game_rows(everything=True, replays=False, latest=NEWS_LOOKED_AT)
            seen = [(game["counts"], visibility.row(game)) for game in rows if visibility.sees_game(game)]
            news_rows = [(counts, {key: row[key] for key in NEWS_KEYS}) for counts, row in seen]
            # Gate games are not news, except for their faults.
            now = [one for one in playing_now(tournament) if visibility.sees_game(_row_of(one, order))]
            return {
                "name": self._name,
                "title": tournament.game.rules.title,
                "notice": view.settings.notice,
                "status": {"games": games, "of": of},
                "table": [
                    row if visibility.owns(row["name"]) else row | {"late": ""} for row in table.facts(view.entries)
                ]
                if table.results
                else [],
                "ordered_by": table.ordered_by,
                "cross": _cross_tables(table, order),
                "news": [one for counts, one in news_rows if counts][:NEWS_SHOWN],
                "faults": [one for _, one in news_rows if one["fault"]][:FAULTS_SHOWN],
                "playing": boards(now),
            }


class MatchSource:
    """A match of this process; the playing thread reports moves and games."""

    def __init__(self, game: Game, players: tuple[str, str], games: int) -> None:
        self._game, self._players, self._games = game, players, games
        self._lock = Lock()
        self._records: list[GameRecord] = []
        self._playing: dict[int, Moved] = {}

    def moved(self, move: Moved) -> None:
        with self._lock:
            self._playing[move.number] = move

    def ended(self, record: GameRecord) -> None:
        with self._lock:
            self._playing.pop(record.number, None)
            self._records.append(record)

    def record(self, number: int, visibility: Visibility) -> GameRecord | None:
        with self._lock:
            found = next((record for record in self._records if record.number == number), None)
        return None if found is None else visibility.game(found)

    def snapshot(self, visibility: Visibility) -> Json:
        with self._lock:
            records, playing = list(self._records), list(self._playing.values())
        now = [Playing(one.number, one.players, _after(self._game, one.moves)) for one in playing]
        rows = sorted(tallies(self._players, records), key=lambda row: -row.points)
        news = [_news_row(visibility.game(record)) for record in reversed(records[-NEWS_SHOWN:])]
        return {
            "name": " - ".join(self._players),
            "title": self._game.rules.title,
            "notice": "",
            "status": {"games": len(records), "of": self._games},
            "table": [
                row.to_data() | {"place": place}
                for place, row in enumerate(rows, 1)
            ] if records else [],
            "ordered_by": "points",
            "cross": [],
            "news": news,
            "faults": [one for one in news if one["fault"]],
            "playing": boards(now),
        }  # fmt: skip


def _row_of(game: Playing, names: Sequence[str]) -> Json:
    """Returns the facts that `Visibility.sees_game` needs about a game in flight: games between two contestants
    count.
    """
    first, second = game.players
    return {"first": first, "second": second, "counts": first != second and first in names and second in names}


def _news_row(record: GameRecord) -> Json:
    first, second = display_names(record)
    return {
        "number": record.number,
        "first": first,
        "second": second,
        "winner": record.winner,
        "reason": record.reason,
        "plies": len(record.moves),
        "fault": None if record.fault is None else record.fault.text,
        "faulty": record.faulty,
        "finished": None,
        "result": result_line(record, short=True),
    }


def _after(game: Game, moves: Sequence[int]) -> State:
    state = game.new_initial_state()
    for action in moves:
        state.apply_action(action)
    return state


def boards(games: Iterable[Playing]) -> list[Json]:
    return [
        {
            "number": game.number,
            "players": list(map(one_line, game.players)),
            "moves": len(game.state.history()),
            "view": board.view(game.state, legal=False),
        }
        for game in sorted(games, key=lambda game: game.number)[:BOARDS_SHOWN]
    ]


def _cross_tables(table: Standings, order: Sequence[str]) -> list[Json]:
    """Returns a cross table for each pool of a course, last stage first; else one for all."""
    if table.ordered_by != BY_STAGE:
        return _cross("", order, table.results)
    found: list[Json] = []
    for (stage, pool), rows in reversed(table.stages.items()):
        played = [result for result in table.results if result.fixture[2:4] == (stage, pool)]
        found += _cross(f"{stage}, pool {pool}", [row.name for row in rows], played, table.form.qualify(stage))
    return found


def _cross(title: str, names: Sequence[str], results: Sequence[Any], go_on: int | None = None) -> list[Json]:
    """Returns a cross table; none if it is too large. go_on: number of qualifying places."""
    if not 0 < len(names) <= CROSS_NAMES:
        return []
    return [{"title": title, "names": list(names), "go_on": go_on, **cross_table(results, names)}]


class LiveFeed:
    """The latest state of a source, for all of its watchers. pause: minimum seconds between two updates."""

    def __init__(
        self, source: Source, visibility: Visibility, pool: FairThreadPool, pause: float = LEAST_SECONDS
    ) -> None:
        self.source, self._visibility, self._pool, self._pause = source, visibility, pool, pause
        self.message = ""
        """The latest state, as sent to all watchers; '' before the first update."""
        self._watchers: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> asyncio.Event:
        event = asyncio.Event()
        self._watchers.add(event)
        if self.message:
            event.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._update())
        return event

    def unwatch(self, event: asyncio.Event) -> None:
        self._watchers.discard(event)
        if not self._watchers and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _update(self) -> None:
        while self._watchers:
            began = time.monotonic()
            try:
                found = await self._pool.run(NOBODY, self.source.snapshot, self._visibility)
            except Busy:  # the watchers keep what they have
                await asyncio.sleep(self._pause)
                continue
            except ValueError as error:
                found = {"error": str(error)}
            except Exception:  # the watchers see it, and the next update may succeed
                log.exception("a tournament could not be read")
                found = {"error": "the tournament cannot be read now"}
            message = json.dumps({"type": "watch", **found}, separators=(",", ":"))
            if message != self.message:
                self.message = message
                for event in self._watchers:
                    event.set()
            await asyncio.sleep(max(self._pause, (time.monotonic() - began) / SHARE_OF_TIME))
