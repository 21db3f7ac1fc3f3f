"""Makes a file in memory, to run it."""

# verdict: forbidden: memfd_create

import os


class Bot:
    def move(self, board, old_move, flag):
        os.memfd_create("x")
        return board.find_valid_move_cells(old_move)[0]
