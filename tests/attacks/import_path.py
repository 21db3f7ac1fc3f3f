"""Adds a folder to import from."""

# verdict: crash: ModuleNotFoundError

import sys

sys.path.insert(0, "/tmp")
import noughts_attack


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
