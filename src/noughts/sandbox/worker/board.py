"""The board that bots with the course interface receive: `Board` (one board) and `BigBoard` (two).

Bots change its lists while they search, copy it, and play moves on the copies; so it answers only from its lists,
whatever they contain. Tests compare it with the kernel. The referee never uses it.

    board_status        one board: rows of one-character strings, '-', 'x' or 'o'
    block_status        rows of blocks; also 'd' for a block that is full without an owner
    big_boards_status   two boards: a tuple of such boards
    small_boards_status and a tuple of their blocks
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import ClassVar

from noughts import notation
from noughts.rules.geometry import block_rows, cell_rows, coordinates, in_squares, row_and_column
from noughts.rules.reference import EMPTY, State
from noughts.rules.spec import Rules

FLAGS = "xo"
OPEN = "-"
DRAWN = "d"

Move = tuple[int, ...]
Grid = list[list[str]]
BoardTexts = tuple[str, str]
"""All cells, and all blocks, in one string each."""


class CourseBoard:
    """The common base of both kinds. A move is a tuple (row, column), preceded by the board if there are two."""

    side: ClassVar[int]
    lines: ClassVar[Sequence[Sequence[tuple[int, int]]]]
    """Each line as the (row, column) of its cells in a block; the same for blocks in a board."""
    seconds: float
    """Seconds per move. Boards of the course do not have it."""

    def find_valid_move_cells(self, old_move: Move) -> list[Move]:
        """Returns the cells that may be taken after `old_move`, row by row, board by board."""
        side = self.side
        grids = self._grids()
        row, col = old_move[-2] % side, old_move[-1] % side
        first = old_move[-1] < 0
        destined = [] if first else [n for n, (_, blocks) in enumerate(grids) if blocks[row][col] == OPEN]
        cells: list[Move] = []
        for n, (marks, blocks) in enumerate(grids):
            if destined:
                if n in destined:
                    rows, cols = range(row * side, row * side + side), range(col * side, col * side + side)
                    cells += [self._move(n, r, c) for r in rows for c in cols if marks[r][c] == OPEN]
            else:
                width = range(side * side)
                cells += [
                    self._move(n, r, c)
                    for r in width
                    for c in width
                    if marks[r][c] == OPEN and blocks[r // side][c // side] == OPEN
                ]
        return cells

    def check_valid_move(self, old_move: Move, new_move: Move) -> bool:
        """Returns whether `new_move` is a tuple of plain ints that may follow `old_move`."""
        if type(new_move) is not tuple or len(new_move) != len(self._move(0, 0, 0)):
            return False
        return all(type(n) is int for n in new_move) and new_move in self.find_valid_move_cells(old_move)

    def update(self, old_move: Move, new_move: Move, ply: str) -> tuple[str, bool]:
        """Places the mark `ply` at `new_move`; returns 'SUCCESSFUL' or 'UNSUCCESSFUL', and whether that won the
        block."""
        if not self.check_valid_move(old_move, new_move):
            return "UNSUCCESSFUL", False
        board = new_move[0] if len(new_move) == 3 else 0
        marks, blocks = self._grids()[board]
        row, col = new_move[-2:]
        marks[row][col] = ply
        top, left = row - row % self.side, col - col % self.side
        status = (row // self.side, col // self.side)
        if any(all(marks[top + r][left + c] == ply for r, c in line) for line in self.lines):
            blocks[status[0]][status[1]] = ply
            return "SUCCESSFUL", True
        if all(OPEN not in marks[r][left : left + self.side] for r in range(top, top + self.side)):
            blocks[status[0]][status[1]] = DRAWN
        return "SUCCESSFUL", False

    def find_terminal_state(self) -> tuple[str, str]:
        """Returns (flag, 'WON'), ('NONE', 'DRAW') or ('CONTINUE', '-')."""
        grids = self._grids()
        for _, blocks in grids:
            for line in self.lines:
                owner = blocks[line[0][0]][line[0][1]]
                if owner not in (OPEN, DRAWN) and all(blocks[r][c] == owner for r, c in line):
                    return owner, "WON"
        if any(OPEN in row for _, blocks in grids for row in blocks):
            return "CONTINUE", "-"
        return "NONE", "DRAW"

    def print_board(self) -> None:
        print(self.drawn())

    def drawn(self) -> str:
        """Returns cells and blocks as text, boards side by side, blocks separated by spaces and lines."""
        grids = self._grids()
        side = self.side
        lines = []
        for r in range(side * side):
            if r and r % side == 0:
                lines.append("")
            lines.append("     ".join(self._spaced(marks[r]) for marks, _ in grids))
        lines.append("")
        lines += ["     ".join(" ".join(blocks[r]) for _, blocks in grids) for r in range(side)]
        return "\n".join(lines)

    def _spaced(self, row: Sequence[str]) -> str:
        groups = [" ".join(row[i : i + self.side]) for i in range(0, len(row), self.side)]
        return "  ".join(groups)

    def _grids(self) -> Sequence[tuple[Grid, Grid]]:
        """Returns (cells, blocks) of each board."""
        raise NotImplementedError

    def _move(self, board: int, row: int, col: int) -> Move:
        raise NotImplementedError

    def show(self, state: State, played: Sequence[int] = (), before: BoardTexts | None = None) -> BoardTexts:
        """Updates the lists to the position; returns their contents as text, to detect changes later.

        before: the contents of the lists until now, if known, and `played` the actions since then. The lists stay the
        same objects during a game, like the course's: a bot that keeps one sees the game in it.
        """
        if before is not None and (texts := self._follow(state, played, before)) is not None:
            return texts
        texts = cells_text(state), owners_text(state)
        self._rewrite(grids_of(state.game, texts))
        return texts

    def _follow(self, state: State, played: Sequence[int], before: BoardTexts) -> BoardTexts | None:
        """Writes the changes into the lists; returns None if they do not match the position afterwards."""
        cells, owners = before[0], owners_text(state)
        width, letters = self.side * self.side, letters_of(state.game)
        try:
            grids = self._grids()
            for action in played:
                board, row, col = in_squares(action, width)
                letter = letters[state.cells[action]]
                cells = f"{cells[:action]}{letter}{cells[action + 1 :]}"
                grids[board][0][row][col] = letter
            if owners != before[1]:
                for number, owner in enumerate(owners):
                    board, row, col = in_squares(number, self.side)
                    grids[board][1][row][col] = owner
            texts = cells, owners
            return texts if self._texts() == texts else None
        except Exception:  # a bot may have put anything there
            return None

    def _texts(self) -> BoardTexts:
        """Returns the contents of the lists as text."""
        grids = self._grids()
        return (
            "".join(["".join(["".join(row) for row in marks]) for marks, _ in grids]),
            "".join(["".join(["".join(row) for row in blocks]) for _, blocks in grids]),
        )

    def _rewrite(self, grids: list[tuple[Grid, Grid]]) -> None:
        raise NotImplementedError


class Board(CourseBoard):
    """One board."""

    def __init__(self) -> None:
        width = self.side * self.side
        self.board_status: Grid = [[OPEN] * width for _ in range(width)]
        self.block_status: Grid = [[OPEN] * self.side for _ in range(self.side)]

    def _grids(self) -> Sequence[tuple[Grid, Grid]]:
        return ((self.board_status, self.block_status),)

    def _move(self, board: int, row: int, col: int) -> Move:
        return row, col

    def _rewrite(self, grids: list[tuple[Grid, Grid]]) -> None:
        [(marks, blocks)] = grids
        self.board_status = _rewritten(self.board_status, marks)
        self.block_status = _rewritten(self.block_status, blocks)


class BigBoard(CourseBoard):
    """Two boards, or more."""

    boards: ClassVar[int]

    def __init__(self) -> None:
        width = self.side * self.side
        self.big_boards_status: tuple[Grid, ...] = tuple(
            [[OPEN] * width for _ in range(width)] for _ in range(self.boards)
        )
        self.small_boards_status: tuple[Grid, ...] = tuple(
            [[OPEN] * self.side for _ in range(self.side)] for _ in range(self.boards)
        )

    def _grids(self) -> Sequence[tuple[Grid, Grid]]:
        return tuple(zip(self.big_boards_status, self.small_boards_status, strict=True))

    def _move(self, board: int, row: int, col: int) -> Move:
        return board, row, col

    def _rewrite(self, grids: list[tuple[Grid, Grid]]) -> None:
        self.big_boards_status = _all_rewritten(self.big_boards_status, [marks for marks, _ in grids])
        self.small_boards_status = _all_rewritten(self.small_boards_status, [blocks for _, blocks in grids])


def _all_rewritten(grids: tuple[Grid, ...], wanted: list[Grid]) -> tuple[Grid, ...]:
    if type(grids) is not tuple or len(grids) != len(wanted):
        return tuple(wanted)
    rewritten = tuple(map(_rewritten, grids, wanted))
    return grids if all(map(operator.is_, grids, rewritten)) else rewritten


def _rewritten(grid: Grid, wanted: Grid) -> Grid:
    """Returns the same lists with other marks; new ones if the bot replaced them."""
    if type(grid) is list and len(grid) == len(wanted) and all(type(row) is list for row in grid):
        for row, marks in zip(grid, wanted, strict=True):
            row[:] = marks
        if grid == wanted:  # differs if two rows are the same list
            return grid
    return wanted


def board_class(rules: Rules) -> type[CourseBoard]:
    """Returns the class of a nested game's boards, which are empty at first."""
    kind = Board if rules.boards == 1 else BigBoard
    facts = {
        "side": rules.side,
        "boards": rules.boards,
        "lines": [[row_and_column(rules, cell) for cell in line] for line in rules.lines],
    }
    return type(kind.__name__, (kind,), facts)


def grids_of(rules: Rules, texts: BoardTexts) -> list[tuple[Grid, Grid]]:
    """Returns (cells, blocks) of each board, as the interface writes them."""
    text, owners = texts
    return [
        ([list(row) for row in cells], [list(row) for row in blocks])
        for cells, blocks in zip(cell_rows(rules, text), block_rows(rules, owners), strict=True)
    ]


def cells_text(state: State) -> str:
    """Returns the marks of all places in one string, in the interface's letters."""
    return "".join(map(letters_of(state.game).__getitem__, state.cells))


def letters_of(rules: Rules) -> str:
    """Returns the interface's letter for each of the two marks of a nested game, and for an empty cell, whose mark is
    -1."""
    return (FLAGS if rules.marks[0] == rules.places[0] else FLAGS[::-1]) + OPEN


def owners_text(state: State) -> str:
    """Returns the owners of all blocks in one string."""
    return "".join([OPEN if owner is None else (FLAGS + DRAWN)[owner] for owner in state.owners])


def old_move(rules: Rules, action: int | None) -> Move:
    """Returns the last action as the interface gives it; all -1 before the first."""
    if action is None:
        return (-1,) * (2 if rules.boards == 1 else 3)
    return coordinates(rules, action)


def change(board: CourseBoard, texts: BoardTexts) -> str | None:
    """Describes what a bot changed on a board that had these contents; None if nothing."""
    cells, owners = texts
    try:
        marks, blocks = board._texts()
    except Exception:
        return "its lists no longer hold one-character strings"
    if marks == cells and blocks == owners:
        return None
    if len(marks) != len(cells) or len(blocks) != len(owners):
        return "its lists have another size"
    width = board.side * board.side
    for place, (was, now) in enumerate(zip(cells, marks, strict=True)):
        if was != now:
            return f"cell {board._move(*in_squares(place, width))} was {was!r} and is {now!r}"
    at = next(i for i, (was, now) in enumerate(zip(owners, blocks, strict=True)) if was != now)
    return f"block {board._move(*in_squares(at, board.side))} was {owners[at]!r} and is {blocks[at]!r}"


class BotState(State):
    """The state that a bot with our own interface receives: the rules with their notation."""

    __slots__ = ()

    def action_to_string(self, action: int) -> str:
        """Returns an action in notation."""
        return notation.action_text(self._shape.rules, action)

    def string_to_action(self, text: str) -> int:
        return notation.parse_action(self._shape.rules, self.player, text)

    def __str__(self) -> str:
        rules = self._shape.rules
        marks = ["." if mark == EMPTY else rules.marks[mark] for mark in self.cells]
        return "\n".join("".join(row) for rows in cell_rows(rules, marks) for row in rows)
