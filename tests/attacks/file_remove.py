"""Removes a file."""

# verdict: forbidden: unlink

import os


class Bot:
    def move(self, board, old_move, flag):
        os.unlink("/tmp/noughts-attack")
        return board.find_valid_move_cells(old_move)[0]
