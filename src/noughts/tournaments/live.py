"""Games of a tournament while they are played, for whoever watches from another process.

The tournament file has finished games only. Moves of the others are noted in a small file beside it, a few times a
second, by the process that plays; nothing depends on it, and it goes away with that process.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from noughts.files import write_whole
from noughts.game import Game, IllegalMove, State
from noughts.matches.pool import Moved
from noughts.matches.replays import LONGEST_NAME
from noughts.untrusted import FileKind, parse_json, read_untrusted

NOTED_SECONDS = 0.4
FRESH_SECONDS = 20.0
"""Notes that nobody wrote to for so long are of a process that is gone, or of games with very long moves."""
NOTES = FileKind("a note of games", 4 << 20, nodes=1 << 18)
MOST_GAMES = 256


def notes_path(tournament: Path) -> Path:
    return tournament.with_name(f".{tournament.name}.live")


class LiveNotes:
    """Use it in a `with`. Nothing is written before the first move is told."""

    def __init__(self, tournament: Path) -> None:
        self._path = notes_path(tournament)
        self._games: dict[int, tuple[tuple[str, str], list[int]]] = {}
        self._next = 0.0
        self._used = False

    def __enter__(self) -> LiveNotes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._used:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def moved(self, moved: Moved) -> None:
        self._games[moved.number] = (moved.players, list(moved.moves))
        self._used = True
        self._write()

    def ended(self, number: int) -> None:
        if self._games.pop(number, None) is not None:
            self._write()

    def _write(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        told = [[number, *game] for number, game in list(self._games.items())[:MOST_GAMES]]
        with suppress(OSError):  # a full disk does not end a tournament for the sake of who watches
            write_whole(self._path, json.dumps(told, separators=(",", ":")).encode())
        self._next = time.monotonic() + NOTED_SECONDS


@dataclass(frozen=True)
class Playing:
    """A game that is being played."""

    number: int
    players: tuple[str, str]
    state: State


def playing_now(tournament: Path, game: Game) -> list[Playing]:
    """The games that are being played, as far as their process notes them. What does not fit the rules is left out."""
    path, found = notes_path(tournament), []
    try:
        if time.time() - path.stat().st_mtime > FRESH_SECONDS:
            return []
        told = parse_json(read_untrusted(path, NOTES, ordinary=True), NOTES)
        for number, (first, second), moves in told[:MOST_GAMES]:
            state = game.new_initial_state()
            for action in moves:
                state.apply_action(action)
            if max(len(first), len(second)) <= LONGEST_NAME:
                found.append(Playing(int(number), (str(first), str(second)), state))
    except (OSError, ValueError, TypeError, KeyError, OverflowError, IllegalMove):
        return found
    return found
