"""Announces an answer, and never sends it."""

# verdict: time

import os


class Bot:
    def move(self, board, old_move, flag):
        os.write(3, b"\0\0\0\x10")
        while True:
            pass
