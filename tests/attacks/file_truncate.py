"""Cuts a file."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        os.truncate("/tmp/noughts-attack", 0)
        return board.find_valid_move_cells(old_move)[0]
