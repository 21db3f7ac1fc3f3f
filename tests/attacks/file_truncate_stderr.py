"""Cuts the file that keeps its last words."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        os.ftruncate(2, 1 << 40)
        return board.find_valid_move_cells(old_move)[0]
