"""Loads a shared library."""

# verdict: forbidden|crash

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        ctypes.CDLL("libpam.so.0")
        return board.find_valid_move_cells(old_move)[0]
