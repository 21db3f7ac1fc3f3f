"""Writes noise to the channel."""

# verdict: forbidden: channel

import os


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, b"\0\0\0\4abcd")
        return board.find_valid_move_cells(old_move)[0]
