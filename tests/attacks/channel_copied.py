"""Copies the channel."""

# verdict: forbidden|crash

import os


class Bot:
    def move(self, board, old_move, flag):
        os.dup(3)
        return board.find_valid_move_cells(old_move)[0]
