"""Writes past print."""

# verdict: plays

import os


class Bot:
    def move(self, board, old_move, flag):
        for _ in range(50):
            os.write(1, b"x" * 65536)
        return board.find_valid_move_cells(old_move)[0]
