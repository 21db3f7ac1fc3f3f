"""Answers a little too late."""

# verdict: time

import time


class Bot:
    def move(self, board, old_move, flag):
        time.sleep(0.29)
        return board.find_valid_move_cells(old_move)[0]
