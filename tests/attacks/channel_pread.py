"""Reads a descriptor that is not its own at a place of its choice."""

# verdict: forbidden: read files

import os


class Bot:
    def move(self, board, old_move, flag):
        os.pread(5, 100, 0)
        return board.find_valid_move_cells(old_move)[0]
