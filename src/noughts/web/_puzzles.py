"""Puzzles: a position, its right moves, and the line that shows why. `benchmarks/make_puzzles.py` makes the files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from noughts import board
from noughts.document import Json
from noughts.game import State
from noughts.games import LISTED
from noughts.library import load_game

TASKS = {"win": "Find the move that wins", "save": "Find the only move that does not lose"}


@dataclass(frozen=True)
class PagePuzzle:
    """A puzzle. kind: "win" or "save". solutions: the right moves, best first. line: the line after the best one."""

    game: str
    position: str
    kind: str
    solutions: list[str]
    line: list[str]

    def state(self) -> State:
        return load_game(self.game).from_string(self.position)


@cache
def puzzles() -> tuple[PagePuzzle, ...]:
    return tuple(
        PagePuzzle(data.rules.name, **puzzle)
        for data in LISTED
        if data.puzzles
        for puzzle in json.loads(data.puzzles.read_text("utf-8"))
    )


def listed() -> list[Json]:
    return [{"number": number, "game": one.game, "kind": one.kind} for number, one in enumerate(puzzles())]


def puzzle_data(number: int) -> Json:
    """Returns a puzzle without its solution. Raises LookupError if the number is unknown."""
    one = puzzles()[number]
    return {
        "number": number,
        "kind": one.kind,
        "task": TASKS[one.kind],
        "position": one.position,
        "view": board.view(one.state()),
    }


def answer(number: int, move: str) -> Json:
    """Returns whether a move solves the puzzle, and the line to show: after the move if it does, else of the
    solution.
    """
    one = puzzles()[number]
    state = one.state()
    action = state.string_to_action(move)
    after = state.child(action)
    text = state.action_to_string(action)
    right = text in one.solutions
    line = one.line if not right or text == one.line[0] else [text]
    if after.is_terminal() and not right:
        right = one.kind == "win" and after.returns()[state.current_player()] == 1
    start, actions = state.clone(), []
    for written in line:
        actions.append(state.string_to_action(written))
        state.apply_action(actions[-1])
    return {
        "right": right,
        "solutions": one.solutions,
        "line": line,
        "record": board.recorded(state.game, actions, start),
    }
