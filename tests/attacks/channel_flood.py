"""Writes answers for ever."""

# verdict: forbidden|time

import os


class Bot:
    def move(self, board, old_move, flag):
        while True:
            os.write(3, b"\0\0\xff\0" + b"1" * 65280)
