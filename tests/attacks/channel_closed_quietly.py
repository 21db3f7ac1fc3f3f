"""Closes the channel, and answers."""

# verdict: forbidden: channel

import os


class Bot:
    def move(self, board, old_move, flag):
        os.close(3)
        return board.find_valid_move_cells(old_move)[0]
