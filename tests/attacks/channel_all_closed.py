"""Closes every descriptor."""

# verdict: forbidden|time

import os


class Bot:
    def move(self, board, old_move, flag):
        os.closerange(0, 100)
        while True:
            pass
