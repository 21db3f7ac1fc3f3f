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
from functools import lru_cache

from noughts.game import State
from noughts.rules.geometry import blocks_of_cells, board_and_block, cell_rows, destined_blocks, placement
from noughts.rules.position import EMPTY
from noughts.rules.spec import Rules
from noughts.rules.view import DRAWN, FIRST, OPEN, SECOND, View
from noughts.text.replies import MoveReader, bracketed
from noughts.text.words import block_name, extent, listed

HEAD = "Current Board:"
MOVES = "Available Moves: "
NUMBERS_LEFT = "Numbers left:"
NOTHING = "\ue000"
"""Fills places of a form, see `FlatBoards`: the first character that means nothing in Unicode."""

Change = tuple[int, str, int]
"""What a move changes in a form: from where, to what, and where the rest begins."""


def board_text(state: State, reader: MoveReader) -> str:
    """Returns everything a player sees of a position: the board, and if the game is not over, where to play and the
    moves."""
    board = board_of(state)
    if state.is_terminal():
        return board
    return f"{board}\n\n{MOVES}{', '.join([reader.names[action] for action in state.legal_actions()])}"


def board_of(state: State) -> str:
    """Returns the board, and if the game is not over, where to play."""
    rules, view = state.game.rules, state.view()
    if not rules.nested:
        boards = flat_boards(rules)
        return boards.text(boards.form(view.cells), view.over)
    board = f"{HEAD}\n\n{_nested(view)}"
    return board if view.over else f"{board}\n\n{where_to_play(view)}"


class FlatBoards:
    """The boards of a flat game.

    A *form* is a board in which everything keeps its place, because NOTHING stands where another board has more. A move
    changes a few characters of a form, which is much faster than to draw the next one.

    changes: by player and action, what a move changes in the form.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._size = len(str(rules.cells - 1))
        # Numbers on the board would look like cell numbers: show the latter beside it.
        self._beside = any(mark.isdigit() for mark in rules.marks)
        marks = range(len(rules.marks))
        changes = [[self._change(cell, mark) for mark in marks] for cell in range(rules.cells)]
        placements = [[placement(rules, player, action) for action in range(rules.num_actions)] for player in (0, 1)]
        self.changes: list[list[list[Change]]] = [[changes[cell][mark] for cell, mark in each] for each in placements]

    def _change(self, cell: int, mark: int) -> list[Change]:
        """Returns what a mark in a cell changes in any form: the same as in that of the empty board."""
        before = [EMPTY] * self._rules.cells
        after = [*before[:cell], mark, *before[cell + 1 :]]
        old, new = self.form(before), self.form(after)
        differ = [at for at, each in enumerate(old) if each != new[at]]
        starts = [at for at in differ if at - 1 not in differ]
        stops = [at + 1 for at in differ if at + 1 not in differ]
        return [(start, new[start:stop], stop) for start, stop in zip(starts, stops, strict=True)]

    def form(self, cells: Sequence[int]) -> str:
        """Returns the form of a board."""
        marks = ["" if mark == EMPTY else self._rules.marks[mark] for mark in cells]
        if self._beside:
            left = self._grid([mark or "." for mark in marks])
            right = self._grid(["" if mark else str(cell) for cell, mark in enumerate(marks)])
            width = max(map(len, left)) + 6
            lines = ["  Numbers:".ljust(width) + "  Cells still empty:", ""]
            lines += [f"{a.ljust(width)}{b}" for a, b in zip(left, right, strict=True)]
        else:
            lines = self._grid([mark or str(cell) for cell, mark in enumerate(marks)])
        if self._rules.once:
            left = [
                "".join([NOTHING * 2 if mark in marks else f" {mark}" for mark in each]) for each in self._rules.places
            ]
            lines += ["", f"{NUMBERS_LEFT} Player 0:{left[0]}. Player 1:{left[1]}."]
        return "\n".join([HEAD, "", *lines])

    def text(self, form: str, over: bool) -> str:
        """Returns the board of a form. over: whether the game is, so that no marks are left to place."""
        text = form.replace(NOTHING, "")
        if not self._rules.once:
            return text
        return text.partition(f"\n\n{NUMBERS_LEFT}")[0] if over else text.replace(":.", ": none.")

    def _grid(self, labels: list[str]) -> list[str]:
        side, size = self._rules.side, self._size
        rule = " " + "+".join(["-" * (size + 2)] * side)
        lines = []
        for start in range(0, len(labels), side):
            row = " |".join([f" {label.rjust(size)}" for label in labels[start : start + side]])
            lines += [f" {row.rstrip().ljust(len(row), NOTHING)}", rule]
        return lines[:-1]


@lru_cache(64)
def flat_boards(rules: Rules) -> FlatBoards:
    return FlatBoards(rules)


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
