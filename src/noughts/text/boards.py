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

from noughts.game import State
from noughts.rules.geometry import blocks_of_cells, board_and_block, cell_rows, destined_blocks
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, FIRST, OPEN, SECOND, View
from noughts.text.replies import MoveReader, bracketed
from noughts.text.words import block_name, extent, listed

HEAD = "Current Board:"
MOVES = "Available Moves: "
PRIVATE_USE = 0xE000
"""The first character that means nothing in Unicode."""


def board_text(state: State, reader: MoveReader) -> str:
    """Returns everything a player sees of a position: the board, and if the game is not over, where to play and the
    moves."""
    rules, view = state.game.rules, state.view()
    parts = [HEAD, _nested(view) if rules.nested else _flat(view)]
    if not state.is_terminal():
        if rules.nested:
            parts.append(where_to_play(view))
        elif rules.once:
            parts.append(_marks_left(view))
        parts.append(f"{MOVES}{', '.join([reader.names[action] for action in state.legal_actions()])}")
    return "\n\n".join(parts)


def places_of_cells(rules: Rules) -> list[tuple[int, int]]:
    """Returns where in the board of a flat game of letters the label of each cell begins and ends."""
    size = len(str(rules.cells - 1))
    labels = [chr(PRIVATE_USE + cell) * size for cell in range(rules.cells)]
    board = "\n\n".join([HEAD, "\n".join(_grid(rules, labels))])
    return [(board.index(label), board.index(label) + size) for label in labels]


def letters_only(rules: Rules) -> bool:
    """Returns whether the game is flat and its marks are letters, so that its board is one grid."""
    return not rules.nested and not any(mark.isdigit() for mark in rules.marks)


def _flat(view: View) -> str:
    rules = view.rules
    if letters_only(rules):
        return "\n".join(
            _grid(rules, [str(i) if mark == EMPTY else rules.marks[mark] for i, mark in enumerate(view.cells)])
        )
    # Numbers on the board would look like cell numbers: show the latter beside it.
    left = _grid(rules, ["." if mark == EMPTY else rules.marks[mark] for mark in view.cells])
    right = _grid(rules, [str(i) if mark == EMPTY else " " for i, mark in enumerate(view.cells)])
    width = max(map(len, left)) + 6
    heads = ["  Numbers:".ljust(width) + "  Cells still empty:", ""]
    return "\n".join([*heads, *(f"{a.ljust(width)}{b}".rstrip() for a, b in zip(left, right, strict=True))])


def _grid(rules: Rules, labels: list[str]) -> list[str]:
    size = len(str(rules.cells - 1))
    rule = " " + "+".join(["-" * (size + 2)] * rules.side)
    lines = []
    for start in range(0, rules.cells, rules.side):
        row = "|".join(f" {label.rjust(size)} " for label in labels[start : start + rules.side])
        lines += [f" {row}".rstrip(), rule]
    return lines[:-1]


def _marks_left(view: View) -> str:
    rules = view.rules
    placed = {rules.marks[mark] for mark in view.cells if mark != EMPTY}
    left = [" ".join(mark for mark in places if mark not in placed) or "none" for places in rules.places]
    return f"Numbers left: Player 0: {left[0]}. Player 1: {left[1]}."


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
