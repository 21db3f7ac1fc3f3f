"""Lets other processes watch the games of a tournament in flight.

The playing process writes them to the table `playing` of the tournament's file a few times a second. Nothing depends on
them, and they disappear with the process.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass

from noughts.database import VALUE
from noughts.game import IllegalMove, State
from noughts.matches.replays import LONGEST_NAME
from noughts.matches.runner import Moved
from noughts.matches.store_file import StoreError
from noughts.tournaments.store import TournamentStore
from noughts.untrusted import parse_json

NOTED_SECONDS = 0.4
FRESH_SECONDS = 20.0
"""Maximum age in seconds: older games belong to a dead process or have very long moves."""
MOST_GAMES = 256


class LiveGames:
    """Writes the games in flight. Use it in a `with`; it writes nothing before the first move."""

    def __init__(self, tournament: TournamentStore) -> None:
        self._tournament = tournament
        self._games: dict[int, Moved] = {}
        self._next = 0.0
        self._used = False

    def __enter__(self) -> LiveGames:
        return self

    def __exit__(self, *_: object) -> None:
        if self._used:
            self._games.clear()
            self._write()

    def moved(self, moved: Moved) -> None:
        self._games[moved.number] = moved
        self._used = True
        self._write_soon()

    def ended(self, number: int) -> None:
        if self._games.pop(number, None) is not None:
            self._write_soon()

    def _write_soon(self) -> None:
        if time.monotonic() >= self._next:
            self._write()
            self._next = time.monotonic() + NOTED_SECONDS

    def _write(self) -> None:
        file, noted = self._tournament.file, time.time()
        with suppress(StoreError), file.change():  # a full disk must not end the tournament just because it is watched
            file.do("DELETE FROM playing")
            for game in list(self._games.values())[:MOST_GAMES]:
                values = (game.number, self._tournament.id, *game.players, json.dumps(game.moves), noted)
                file.do("INSERT INTO playing VALUES (?, ?, ?, ?, ?, ?)", *values)


@dataclass(frozen=True)
class Playing:
    """A game in flight."""

    number: int
    players: tuple[str, str]
    state: State


def playing_now(tournament: TournamentStore) -> list[Playing]:
    """Returns the games in flight that are stored. Leaves out games that break the rules."""
    found = []
    for number, first, second, moves in tournament.file.rows(
        "SELECT game, first, second, moves FROM playing WHERE tournament = ? AND noted > ? ORDER BY game LIMIT ?",
        *(tournament.id, time.time() - FRESH_SECONDS, MOST_GAMES),
    ):
        state = tournament.game.new_initial_state()
        with suppress(ValueError, TypeError, OverflowError, IllegalMove):
            for action in parse_json(moves, VALUE):
                state.apply_action(action)
            if max(len(first), len(second)) <= LONGEST_NAME:
                found.append(Playing(number, (first, second), state))
    return found
