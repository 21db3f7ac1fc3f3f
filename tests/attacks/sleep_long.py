"""Sleeps past its time."""

# verdict: time: no answer

import time


class Bot:
    def move(self, board, old_move, flag):
        time.sleep(600)
        return board.find_valid_move_cells(old_move)[0]
