"""Reads the channel itself."""

# verdict: time

import os


class Bot:
    def move(self, board, old_move, flag):
        os.read(3, 100)
