"""Writes to standard error over and over."""

# verdict: time

import os


class Bot:
    def move(self, board, old_move, flag):
        while True:
            os.write(2, b"x" * 65536)
