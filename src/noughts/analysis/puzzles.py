"""Positions to test a bot on: those that decided games of an earlier version, or any others with a known best move.

The file is JSON, one object. Version 1:

    format      "noughts-positions"
    version     1
    game        the game's name
    rules       the record of facts, for games that are not built in; else absent
    positions   a list of {"moves", "best", "played", "before", "loss", "kind", "exact", "from"}: the actions that lead
                to the position; the best action; the played one, or null; the expected result with the best; what the
                played one loses; the kind of mistake; whether the mistake is proven; where the position is from
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.errors import NoughtsError
from noughts.game import Game, IllegalMove, State
from noughts.printable import one_line
from noughts.rules.spec import short_repr
from noughts.untrusted import MALFORMED, FileKind, parse_json, read_untrusted

FORMAT, VERSION = "noughts-positions", 1
MOST_POSITIONS = 10_000
POSITIONS = FileKind("a file of positions", 16 << 20, nodes=1 << 21)
KINDS = ("missed a win", "allowed a win", "missed a bonus move", "gave a block away", "gave an open move", "costly")
"""In the order of the numbers of `analysis.mistakes`."""


class PositionsError(NoughtsError, ValueError):
    """A file of positions that cannot be used; the message says why."""


@dataclass(frozen=True)
class Puzzle:
    """A position to solve; see the head of this file. moves: actions. kind: one of KINDS."""

    moves: tuple[int, ...]
    best: int
    played: int | None
    before: float
    loss: float
    kind: str
    exact: bool
    origin: str

    def state(self, game: Game) -> State:
        state = game.new_initial_state()
        for action in self.moves:
            state.apply_action(action)
        return state


def to_json(game: Game, puzzles: Sequence[Puzzle]) -> str:
    data = {
        "format": FORMAT,
        "version": VERSION,
        **game.to_data(),
        "positions": [
            {
                "moves": list(puzzle.moves),
                "best": puzzle.best,
                "played": puzzle.played,
                "before": puzzle.before,
                "loss": puzzle.loss,
                "kind": puzzle.kind,
                "exact": puzzle.exact,
                "from": puzzle.origin,
            }
            for puzzle in puzzles
        ],
    }
    return json.dumps(data, indent=1) + "\n"


def read_positions(path: str | Path) -> tuple[Game, list[Puzzle]]:
    """Returns the positions of a file, each checked by playing it. Raises PositionsError if the file is invalid."""
    return positions_in(read_untrusted(path, POSITIONS), path)


def file_and_number(name: str) -> tuple[str, int | None]:
    """Returns the file and the number of FILE#3; the number is None if there is none, or if the whole text names a
    file.
    """
    path, _, number = name.rpartition("#")
    return (path, int(number)) if number.isdecimal() and len(number) < 6 and not Path(name).exists() else (name, None)


def holds_positions(path: str | Path) -> bool:
    """Returns whether a file declares at its beginning that it contains positions."""
    try:
        with open(path, "rb") as file:
            return f'"{FORMAT}"'.encode() in file.read(200)
    except OSError:
        return False


def positions_in(text: bytes, path: str | Path) -> tuple[Game, list[Puzzle]]:
    """Returns the positions of a file's text; path: for messages."""
    try:
        data = parse_json(text, POSITIONS)
    except ValueError as error:
        raise PositionsError(f"{path} is not a positions file: {error}") from None
    if not isinstance(data, dict):
        raise PositionsError(f"{path} is not a positions file")
    try:
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise PositionsError(f"{path} is not a positions file of version {VERSION}")
        game = Game.from_data(data)
        if not 0 < len(data["positions"]) <= MOST_POSITIONS:
            raise PositionsError(f"{path} has {len(data['positions'])} positions; it must have 1 to {MOST_POSITIONS}")
        return game, [_puzzle(game, number, each) for number, each in enumerate(data["positions"], 1)]
    except PositionsError:
        raise
    except (*MALFORMED, RecursionError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else one_line(error)
        raise PositionsError(f"{path} is not a valid positions file: {what}") from None


def _value(number: object) -> float:
    """Returns an expected result, or the difference of two. Raises ValueError if it is out of range."""
    if type(number) not in (int, float) or not -2 <= number <= 2:  # type: ignore[operator]
        raise ValueError(f"an expected result must be a number from -1 to 1, not {short_repr(number)}")
    return float(number)  # type: ignore[arg-type]


def _puzzle(game: Game, number: int, data: dict[str, Any]) -> Puzzle:
    kind, origin = data["kind"], data["from"]
    if kind not in KINDS or not isinstance(origin, str):
        raise ValueError(f"position {number} has an unknown kind of mistake, or no source")
    numbers = [*data["moves"], data["best"], *([] if data["played"] is None else [data["played"]])]
    if not all(type(each) is int for each in numbers):
        raise ValueError(f"position {number}: moves must be whole numbers")
    puzzle = Puzzle(
        tuple(data["moves"]),
        data["best"],
        data["played"],
        _value(data["before"]),
        _value(data["loss"]),
        kind,
        data["exact"] is True,
        one_line(origin),
    )
    try:
        state = puzzle.state(game)
    except IllegalMove as error:
        raise ValueError(f"position {number}: {error}") from None
    legal = state.legal_actions()
    if puzzle.best not in legal or (puzzle.played is not None and puzzle.played not in legal):
        raise ValueError(f"position {number}: its moves are not legal in it")
    return puzzle
