"""Loads a shared library."""

# verdict: forbidden|crash

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        ctypes.CDLL("libssl.so.3")
        return board.find_valid_move_cells(old_move)[0]
