"""Announces an answer of four gigabytes."""

# verdict: forbidden: channel

import os


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, b"\xff" * 100)
        return board.find_valid_move_cells(old_move)[0]
