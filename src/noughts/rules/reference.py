"""The rules in plain Python, from the same record of facts, in their most readable form.

This is the kernel's twin; a test plays every game on both. Bots with our own interface receive these states, because
their process cannot load compiled code. The referee never uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Self

from noughts.rules.geometry import board_and_block, cells_of_block, destined_blocks
from noughts.rules.spec import Line, Rules

TERMINAL = -4
EMPTY = -1


class Shape:
    """Tables computed once from the facts of a game.

    spots: (block, cell) for each place, places being cells row-major over the boards. places: the place of each
    cell of each block. lines_at: the lines through each cell. sends: the blocks that a move in each cell sends to.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.places: list[list[int]] = [cells_of_block(rules, block) for block in range(rules.blocks)]
        spots = {place: (block, cell) for block, cells in enumerate(self.places) for cell, place in enumerate(cells)}
        self.spots: list[tuple[int, int]] = [spots[place] for place in range(len(spots))]
        self.lines_at: list[list[Line]] = [
            [line for line in rules.lines if cell in line] for cell in range(rules.cells)
        ]
        self.sends: list[list[int]] = [destined_blocks(rules, cell) for cell in range(rules.cells)]
        self.marks_of: list[list[int]] = [sorted(rules.marks.index(mark) for mark in places) for places in rules.places]

    @cached_property
    def utility_scale(self) -> int:
        return self.rules.boards * sum(self.rules.block_points or ()) + 1


class State:
    """A position. Its methods work like those of the same name in `noughts.State`.

    cells: a mark's number or -1 for each place. owners: for each block None, 0, 1, or 2 if drawn.
    """

    __slots__ = ("_closed", "_over", "_shape", "_stack", "_winner", "bonus", "cells", "owners", "player", "sent")

    def __init__(self, shape: Shape) -> None:
        rules = shape.rules
        self._shape = shape
        self.cells: list[int] = [EMPTY] * (rules.blocks * rules.cells)
        self.owners: list[int | None] = [None] * rules.blocks
        self.player: int = 0
        self.sent: int | None = None
        self.bonus: bool = False
        self._closed = 0
        self._over: str | None = None
        self._winner: int | None = None
        self._stack: list[tuple[int, int, int | None, bool]] = []

    @property
    def game(self) -> Rules:
        """The facts of the game: name, side, nested, boards, marks, lines, ..."""
        return self._shape.rules

    def current_player(self) -> int:
        """Returns 0 or 1; -4 if the game is over."""
        return TERMINAL if self._over else self.player

    def is_terminal(self) -> bool:
        return self._over is not None

    def legal_actions(self) -> list[int]:
        """Returns the legal actions in rising order; none if the game is over."""
        if self._over:
            return []
        cells, shape, rules = self.cells, self._shape, self._shape.rules
        blocks = self._playable()
        empty = [place for block in blocks for place in shape.places[block] if cells[place] == EMPTY]
        if len(blocks) > 1:
            empty.sort()
        if rules.choices == 1:
            return empty
        marks = self._marks()
        return [place * rules.choices + mark for place in empty for mark in marks]

    def apply_action(self, action: int) -> None:
        """Plays an action. Raises ValueError, without a change, if it is not legal."""
        rules = self._shape.rules
        if not self._is_legal(action):
            raise ValueError(f"action {action} is not legal; legal actions are {self.legal_actions()[:20]} ...")
        place, mark = divmod(action, rules.choices)
        if rules.choices == 1:
            mark = self._shape.marks_of[self.player][0]
        block, cell = self._shape.spots[place]
        self._stack.append((action, self.player, self.sent, self.bonus))
        self.cells[place] = mark
        self.sent = cell if rules.nested else None
        self._settle(block, cell, mark)

    def undo_action(self) -> None:
        """Takes back the last action. Raises ValueError if there is none."""
        if not self._stack:
            raise ValueError("there is no move to take back")
        action, self.player, self.sent, self.bonus = self._stack.pop()
        place = action // self._shape.rules.choices
        block, _ = self._shape.spots[place]
        self.cells[place] = EMPTY
        if self.owners[block] is not None:
            self.owners[block] = None
            self._closed -= 1
        self._over = self._winner = None

    def child(self, action: int) -> Self:
        """Returns the state after an action; this state does not change."""
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self) -> Self:
        copy = type(self).__new__(type(self))
        copy._shape = self._shape
        copy.cells = self.cells[:]
        copy.owners = self.owners[:]
        copy.player, copy.sent, copy.bonus = self.player, self.sent, self.bonus
        copy._closed, copy._over, copy._winner = self._closed, self._over, self._winner
        copy._stack = self._stack[:]
        return copy

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone()

    __copy__ = clone

    def history(self) -> list[int]:
        """Returns the actions played so far."""
        return [move[0] for move in self._stack]

    def winner(self) -> int | None:
        """Returns the winner, 0 or 1; None without a line, unless a majority of points wins."""
        return self._winner

    def returns(self) -> list[float]:
        """Returns 1 and -1 for a win; without a winner the margin of points, strictly between -1 and 1, or else 0."""
        if self._over is None:
            return [0.0, 0.0]
        if self._winner is not None:
            return [1.0, -1.0] if self._winner == 0 else [-1.0, 1.0]
        points = self.points()
        margin = (points[0] - points[1]) / self._shape.utility_scale
        return [margin, 0.0 - margin]

    def points(self) -> tuple[int, int]:
        """Returns the points so far: for a line, or for the blocks won."""
        rules = self._shape.rules
        if self._over == "line":
            win, loss = rules.win_points
            return (win, loss) if self._winner == 0 else (loss, win)
        worth = rules.block_points or (0,) * rules.cells
        won = [0, 0]
        for block, owner in enumerate(self.owners):
            if rules.nested and owner in (0, 1):
                won[owner] += worth[board_and_block(rules, block)[1]]
        return won[0], won[1]

    def _playable(self) -> Sequence[int]:
        owners = self.owners
        if self.sent is not None:
            destined = [block for block in self._shape.sends[self.sent] if owners[block] is None]
            if destined:
                return destined
        return [block for block, owner in enumerate(owners) if owner is None]

    def _marks(self) -> list[int]:
        marks = self._shape.marks_of[self.player]
        if not self._shape.rules.once:
            return marks
        return [mark for mark in marks if mark not in self.cells]

    def _is_legal(self, action: int) -> bool:
        rules = self._shape.rules
        if self._over or not 0 <= action < rules.num_actions:
            return False
        place, mark = divmod(action, rules.choices)
        if self.cells[place] != EMPTY or self._shape.spots[place][0] not in self._playable():
            return False
        return rules.choices == 1 or mark in self._marks()

    def _settle(self, block: int, cell: int, mark: int) -> None:
        """Updates the state after a mark: closed blocks, the end of the game, the player to move."""
        shape, rules, player = self._shape, self._shape.rules, self.player
        again = False
        if self._completes(block, cell, mark):
            self._close(block, player)
            if not rules.nested or self._wins_board(block, player):
                self._over, self._winner = "line", player ^ rules.misere
                return
            again = rules.bonus and not self.bonus
        elif EMPTY not in [self.cells[place] for place in shape.places[block]]:
            self._close(block, 2)
        if self._closed == rules.blocks:
            self._over = "full"
            first, second = self.points()
            if rules.majority and first != second:
                self._winner = int(second > first)
            return
        self.bonus = again
        self.player = player if again else 1 - player
        if rules.once and not self._marks():
            self._over = "no_moves"

    def _close(self, block: int, owner: int) -> None:
        self.owners[block] = owner
        self._closed += 1

    def _completes(self, block: int, cell: int, mark: int) -> bool:
        """Returns whether the mark just placed completes a line."""
        cells, places, target = self.cells, self._shape.places[block], self._shape.rules.line_sum
        for line in self._shape.lines_at[cell]:
            marks = [cells[places[c]] for c in line]
            if target is None:
                if marks.count(mark) == len(marks):
                    return True
            elif EMPTY not in marks and sum(marks) + len(marks) == target:
                return True
        return False

    def _wins_board(self, block: int, player: int) -> bool:
        here = board_and_block(self._shape.rules, block)[1]
        first, owners = block - here, self.owners
        return any(all(owners[first + b] == player for b in line) for line in self._shape.lines_at[here])
