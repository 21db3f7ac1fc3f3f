"""Describes a position in one line: the player to move, where they may play and why, or how the game ended."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.printable import listed
from noughts.rules.geometry import board_and_block, row_and_column
from noughts.rules.spec import Rules
from noughts.rules.view import View

LISTED = 5
"""Maximum length of a line that is spelt out; a longer one would not fit."""


def status(view: View) -> str:
    """Returns the line, without a full stop; it fits 80 columns."""
    if view.over:
        return _ending(view)
    mover = player_name(view.rules, view.player)
    if view.rules.nested:
        return f"{mover} {'has a bonus move' if view.bonus else 'to move'}: {_where(view)}"
    if view.rules.choices == 1:
        return f"{mover} to move"
    return f"{mover} to move: {listed([view.rules.marks[mark] for mark in view.marks])}"


def player_name(rules: Rules, player: int) -> str:
    """Returns the player's mark if it is theirs alone, else "first player" or "second player"."""
    return rules.places[player] if rules.own_marks else ("first player", "second player")[player]


def _where(view: View) -> str:
    if view.sent is None:
        return "anywhere, the first move is free"
    rules = view.rules
    row, col = row_and_column(rules, view.sent)
    block = f"block {view.sent}"
    if view.open_move:
        return f"any open block (open move: {block} is closed)"
    boards = sorted(board_and_block(rules, number)[0] for number in view.playable)
    if rules.boards > 1:
        block += f" of {_boards(boards, rules.boards)}"
    return f"{block} (rows {_span(row, rules.side)}, columns {_span(col, rules.side)})"


def _boards(boards: Sequence[int], all_boards: int) -> str:
    if len(boards) == all_boards:
        return "both boards" if all_boards == 2 else "every board"
    if len(boards) == 1:
        return f"board {boards[0]} only"
    return f"{len(boards)} boards"


def _span(place: int, side: int) -> str:
    return f"{place * side}-{place * side + side - 1}"


def _ending(view: View) -> str:
    if view.winner is None or not view.lines:
        return _without_line(view)
    winner, line = player_name(view.rules, view.winner), _line(view)
    if view.rules.misere:
        return f"{winner} wins: {player_name(view.rules, 1 - view.winner)} completed {line}"
    return f"{winner} wins with {line}"


def _without_line(view: View) -> str:
    rules = view.rules
    if view.reason == "no_moves":
        why = "nothing is left to place"
    else:
        why = "every block is closed" if rules.nested else "the board is full"
    if rules.block_points is None or view.points is None:
        return f"draw: {why}"
    if view.winner is not None:
        score = f"{view.points[view.winner]} to {view.points[1 - view.winner]}"
        return f"{player_name(rules, view.winner)} wins {score}: {why} without a line"
    scores = [f"{player_name(view.rules, player)} has {view.points[player]}" for player in (0, 1)]
    return f"no line, {why}: {' and '.join(scores)} points"


def _line(view: View) -> str:
    """Describes the first line that ended the game."""
    rules, line = view.rules, view.lines[0]
    board = f" of board {board_and_block(rules, line[0])[0]}" if rules.boards > 1 else ""
    if len(line) > LISTED:
        return f"a line of {len(line)} {'blocks' if rules.nested else 'cells'}{board}"
    if rules.nested:
        return f"the line of blocks {' '.join(str(board_and_block(rules, block)[1]) for block in line)}{board}"
    cells = f"the line {' '.join(map(str, line))}"
    if rules.line_sum is None:
        return cells
    return f"{cells} ({' + '.join(rules.marks[view.cells[cell]] for cell in line)} = {rules.line_sum})"
