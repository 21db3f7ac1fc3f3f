"""Describes the board, what is playable and why, and the available moves as text.

Flat games (Wild's text is fixed: see docs/text.md) show the numbers of empty cells:

      0 | 1 | 2
     ---+---+---
      3 | X | 5
     ---+---+---
      6 | 7 | 8

Nested games: row and column numbers along the edges, blocks in boxes, ``*`` where the next mark may go.
"""

from __future__ import annotations

from collections.abc import Sequence

from noughts.game import Game, State
from noughts.rules.geometry import blocks_of_cells, board_and_block, cell_rows, destined_blocks
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, FIRST, OPEN, SECOND, View
from noughts.text.replies import bracketed, reader_of
from noughts.text.words import block_name, extent, listed

HEAD = "Current Board:"
MOVES = "Available Moves: "


REMEMBERED = 20_000
"""Maximum positions whose texts are kept: all of Wild's, in some 30 MB."""

_known: dict[tuple[Game, bytes], tuple[str, str]] = {}


def board_text(state: State) -> str:
    """Returns everything a player sees of a position: the board, and if the game is not over, where to play and the
    moves."""
    return "".join(board_and_moves(state))


def board_and_moves(state: State, *, list_moves: bool = True) -> tuple[str, str]:
    """Returns the board with where to play, and the list of moves below it, empty if the game is over or without
    `list_moves`.

    The texts of flat games are kept, because their positions come up again and again.
    """
    if state.game.rules.nested or not list_moves:
        return board_of(state), _listing(state) if list_moves else ""
    key = state.game, state.key()
    texts = _known.get(key)
    if texts is None:
        if len(_known) >= REMEMBERED:
            _known.clear()
        texts = _known[key] = board_of(state), _listing(state)
    return texts


def board_of(state: State) -> str:
    """Returns the board, and if the game is not over, where to play."""
    view = state.view()
    if not view.rules.nested:
        return f"{HEAD}\n\n{_flat(view)}"
    board = f"{HEAD}\n\n{_nested(view)}"
    return board if view.over else f"{board}\n\n{where_to_play(view)}"


def _listing(state: State) -> str:
    names = reader_of(state.game.rules).names
    legal = state.legal_actions()
    return f"\n\n{MOVES}{', '.join([names[action] for action in legal])}" if legal else ""


def _flat(view: View) -> str:
    rules = view.rules
    marks = ["" if mark == EMPTY else rules.marks[mark] for mark in view.cells]
    if any(mark.isdigit() for mark in rules.marks):
        # Numbers on the board would look like cell numbers: show the latter beside it.
        board = _grid(rules, [mark or "." for mark in marks])
        empty = _grid(rules, ["" if mark else str(cell) for cell, mark in enumerate(marks)])
        width = max(map(len, board)) + 6
        lines = ["  Numbers:".ljust(width) + "  Cells still empty:", ""]
        lines += [f"{left.ljust(width)}{right}" for left, right in zip(board, empty, strict=True)]
    else:
        lines = _grid(rules, [mark or str(cell) for cell, mark in enumerate(marks)])
    if rules.once and not view.over:
        left = [" ".join([mark for mark in places if mark not in marks]) or "none" for places in rules.places]
        lines += ["", f"Numbers left: Player 0: {left[0]}. Player 1: {left[1]}."]
    return "\n".join(lines)


def _grid(rules: Rules, labels: list[str]) -> list[str]:
    side, size = rules.side, len(str(rules.cells - 1))
    rule = " " + "+".join(["-" * (size + 2)] * side)
    lines = []
    for start in range(0, len(labels), side):
        row = " |".join([f" {label.rjust(size)}" for label in labels[start : start + side]])
        lines += [f" {row.rstrip()}", rule]
    return lines[:-1]


def _nested(view: View) -> str:
    rules = view.rules
    legend = "'.' empty, '*' empty and playable now, '#' unused cell of a closed block, 'X>' the last move"
    legend = legend.replace("X>", f"{rules.marks[0]}<")
    signs = [_sign(view, index, block) for index, block in enumerate(blocks_of_cells(rules))]
    boards = [
        line for board, rows in enumerate(cell_rows(rules, signs)) for line in [*_nested_board(rules, board, rows), ""]
    ]
    return "\n".join([*boards, f"Legend: {legend}.", *_block_summary(view)])


def _nested_board(rules: Rules, board: int, rows: Sequence[Sequence[str]]) -> list[str]:
    side, width = rules.side, rules.width
    edge = "     " + "+".join([""] + ["-" * (3 * side + 1)] * side + [""])
    numbers = [f"{col:>2} " for col in range(width)]
    lines = [] if rules.boards == 1 else [f"Board {board}:"]
    lines.append("      " + "  ".join("".join(numbers[i : i + side]) for i in range(0, width, side)).rstrip())
    for row, cells in enumerate(rows):
        if row % side == 0:
            lines.append(edge)
        lines.append(f"  {row:>2} |" + "".join(f"{''.join(cells[i : i + side])} |" for i in range(0, width, side)))
    return [*lines, edge]


def _sign(view: View, index: int, block: int) -> str:
    """Returns the text of a cell."""
    mark = view.cells[index]
    if mark != EMPTY:
        return f" {view.rules.marks[mark]}{'<' if index == view.last else ' '}"
    if block in view.playable:
        return " * "
    return " . " if view.owners[block] == OPEN else " # "


def _block_summary(view: View) -> list[str]:
    """Lists the closed blocks, by owner."""
    rules = view.rules
    lines = []
    for owner, words in (
        (FIRST, f"won by Player 0 ({rules.places[0]})"),
        (SECOND, f"won by Player 1 ({rules.places[1]})"),
    ):
        lines.append(f"Blocks {words}: {_blocks(view, owner)}.")
    return [*lines, f"Blocks full without a winner: {_blocks(view, DRAWN)}."]


def _blocks(view: View, owner: int) -> str:
    rules = view.rules
    owned = [block for block, who in enumerate(view.owners) if who == owner]
    if rules.boards == 1:
        return ", ".join(map(str, owned)) or "none"
    places = [board_and_block(rules, block) for block in owned]
    return ", ".join(f"{number} of board {board}" for board, number in places) or "none"


def where_to_play(view: View) -> str:
    """Describes where the next move may go in a nested game, and why."""
    rules, mover = view.rules, f"Player {view.player}"
    open_blocks = "any empty cell of any block that is not closed"
    if view.sent is None:
        return f"{mover} to move. Open move: the first move of the game may go to any cell."
    own = "your own last move" if view.bonus else "the last move"
    cause = own if view.last is None else f"{own}, {bracketed(rules, view.last)},"
    head = f"{mover} to move."
    if view.bonus:
        head += " Bonus move: you won a block, so you move again."
    destined = destined_blocks(rules, view.sent)
    playable = [block for block in destined if block in view.playable]
    if not playable:
        each = "which is closed" if rules.boards == 1 else "which is closed on every board"
        return f"{head} Open move: {cause} sends you to block {view.sent}, {each}, so play in {open_blocks}."
    where = listed([block_name(rules, block) for block in playable], "or")
    text = f"{head} You must play in {where} ({extent(rules, view.sent)}), where {cause} sends you."
    closed = [str(board_and_block(rules, block)[0]) for block in destined if block not in view.playable]
    return f"{text} It is closed on board {listed(closed)}." if closed else text
