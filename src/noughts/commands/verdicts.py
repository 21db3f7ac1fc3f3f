"""How exact results are said: in words, in a cell of a drawn board, and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noughts.game import State
    from noughts.solving import RatedMove

LABEL_ROOM = 3
"""Characters that a cell of a drawn board has for a label."""


def words(value: int, distance: int) -> str:
    """What a move or a position comes to for a player: "wins in 3"."""
    return "draws" if value == 0 else f"{'wins' if value > 0 else 'loses'} in {distance}"


def player_name(state: State, player: int) -> str:
    """A player by their mark, or by their seat if marks are shared."""
    from noughts import draw

    return draw.player_name(state.game.rules, player)


def labels(state: State, moves: Sequence[RatedMove]) -> dict[int, str]:
    """For each empty cell the result of the best move there: W3, D or L8.

    In front is the mark of that move, unless all marks that can go there do as well; a distance of two digits is
    then left out. `moves` is best first.
    """
    return {cell: _label(state, there) for cell, there in _by_cell(state, moves).items()}


def legend(state: State, moves: Sequence[RatedMove]) -> str:
    """What the labels on the board mean."""
    best_by_value = {move.value: move for move in reversed(moves)}
    examples = [best_by_value[value] for value in (1, 0, -1) if value in best_by_value]
    line = ", ".join(f"{_result(move)}: {words(move.value, move.distance)}" for move in examples) + ", with best play."
    if any(map(_marks_differ, _by_cell(state, moves).values())):
        line += "\nA mark in front is the best one for that cell, or the first of several."
    return line


def as_records(state: State, moves: Sequence[RatedMove]) -> list[dict[str, object]]:
    """Moves for scripts."""
    return [
        {
            "move": state.action_to_string(move.action),
            "action": move.action,
            "value": move.value,
            "distance": move.distance,
            "reply_errors": round(move.errors, 6),
        }
        for move in moves
    ]


def _by_cell(state: State, moves: Sequence[RatedMove]) -> dict[int, list[RatedMove]]:
    """The moves in each cell, in their order."""
    cells: dict[int, list[RatedMove]] = {}
    for move in moves:
        cells.setdefault(move.action // state.game.rules.choices, []).append(move)
    return cells


def _marks_differ(there: Sequence[RatedMove]) -> bool:
    """Whether it matters which mark goes into a cell."""
    return len({(move.value, move.distance) for move in there}) > 1


def _result(move: RatedMove) -> str:
    return "D" if move.value == 0 else f"{'W' if move.value > 0 else 'L'}{move.distance}"


def _label(state: State, there: Sequence[RatedMove]) -> str:
    result = _result(there[0])
    if not _marks_differ(there):
        return result
    rules = state.game.rules
    mark = rules.marks[there[0].action % rules.choices]
    return mark + result if len(mark + result) <= LABEL_ROOM else mark + result[0]
