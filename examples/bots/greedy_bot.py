"""Takes a block when it can, and does not give one away if that can be avoided. Works in every nested game.

It looks one move ahead on a copy of the board, and one more at what the opponent could do then.
"""

import copy
import random


class GreedyBot:
    def move(self, board, old_move, flag):
        cells = board.find_valid_move_cells(old_move)
        worths = {cell: self.worth(board, old_move, cell, flag) for cell in cells}
        best = max(worths.values())
        return random.choice([cell for cell in cells if worths[cell] == best])

    def worth(self, board, old_move, cell, flag):
        """3 wins the game, 2 a block; 0 is quiet, -1 lets the opponent win a block."""
        after = copy.deepcopy(board)
        _, won_block = after.update(old_move, cell, flag)
        if after.find_terminal_state() == (flag, "WON"):
            return 3
        if won_block:
            return 2
        other = "o" if flag == "x" else "x"
        return -1 if self.can_win_block(after, cell, other) else 0

    def can_win_block(self, board, old_move, flag):
        for cell in board.find_valid_move_cells(old_move):
            after = copy.deepcopy(board)
            if after.update(old_move, cell, flag)[1]:
                return True
        return False
