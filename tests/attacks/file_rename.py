"""Renames a file."""

# verdict: forbidden: rename

import os


class Bot:
    def move(self, board, old_move, flag):
        os.rename("/tmp/noughts-attack", "/tmp/noughts-attacked")
        return board.find_valid_move_cells(old_move)[0]
