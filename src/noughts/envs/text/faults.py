"""Why a move was refused: a word for programs, a sentence for the player. The kernel refuses; this only explains."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.envs.text.moves import bracketed
from noughts.envs.text.places import block_name, extent, listed, place_of
from noughts.game import State
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, View

NO_MOVE = "no_move"
OUT_OF_RANGE = "out_of_range"
OCCUPIED = "occupied"
NOT_YOURS = "not_yours"
ALREADY_USED = "already_used"
BLOCK_CLOSED = "block_closed"
WRONG_BLOCK = "wrong_block"
GAME_OVER = "game_over"

REASONS = {
    NO_MOVE: "the reply has no move in the format asked for",
    OUT_OF_RANGE: "there is no such cell or mark",
    OCCUPIED: "the cell holds a mark already",
    NOT_YOURS: "the mark belongs to the other player",
    ALREADY_USED: "the number was placed before",
    BLOCK_CLOSED: "the block is won or full",
    WRONG_BLOCK: "the last move sends to another block",
    GAME_OVER: "the game had ended before",
}
"""All reasons for a refusal, in words."""


@dataclass(frozen=True)
class Fault:
    """reason: one of REASONS. message: exactly what was wrong, for the player."""

    reason: str
    message: str


def explain(state: State, action: int | None, shown: str | None, names: list[str]) -> Fault:
    """Why a reply cannot be played. action, shown: what was read of it by `MoveReader.read`. names: of the actions."""
    rules = state.game.rules
    if shown is None:
        example = names[state.legal_actions()[0]]
        return Fault(NO_MOVE, f"there is no move in your reply. Write one in square brackets, like {example}.")
    if action is None:
        return Fault(OUT_OF_RANGE, f"{shown} is not on the board. {_ranges(rules)}")
    index, mark = divmod(action, rules.choices)
    view = state.view()
    if rules.nested:
        return _nested(view, shown, index)
    if view.cells[index] != EMPTY:
        return Fault(OCCUPIED, f"cell {index} is already occupied by {rules.marks[view.cells[index]]}.")
    if rules.marks[mark] not in rules.places[view.player]:
        return Fault(NOT_YOURS, f"{rules.marks[mark]} is not yours to place; yours are {_own(rules, view.player)}.")
    return Fault(ALREADY_USED, f"{rules.marks[mark]} has been placed already; each can be placed only once.")


def _nested(view: View, shown: str, index: int) -> Fault:
    rules, place = view.rules, place_of(view.rules, index)
    name = block_name(rules, place.block)
    if view.cells[index] != EMPTY:
        mark = rules.marks[view.cells[index]]
        return Fault(OCCUPIED, f"row {place.row}, column {place.col} is already occupied by {mark}.")
    if view.owners[place.block] in (0, 1, DRAWN):
        return Fault(BLOCK_CLOSED, f"{shown} lies in {name}, which is closed.")
    cause = "the last move" if view.last is None else f"the last move, {bracketed(rules, view.last)},"
    target = listed([block_name(rules, block) for block in sorted(view.playable)], "or")
    where = extent(rules, min(view.playable))
    return Fault(WRONG_BLOCK, f"{shown} lies in {name}, but {cause} sends you to {target} ({where}).")


def _ranges(rules: Rules) -> str:
    if rules.nested:
        boards = "" if rules.boards == 1 else f"Boards are 0 to {rules.boards - 1}. "
        return f"{boards}Rows and columns are 0 to {rules.width - 1}."
    cells = f"Cells are 0 to {rules.cells - 1}"
    return f"{cells}." if rules.own_marks else f"{cells}, marks are {', '.join(rules.marks)}."


def _own(rules: Rules, player: int) -> str:
    return ", ".join(rules.places[player])
