"""Fills the file of the interpreter's last words."""

# verdict: crash: File too large

import os


class Bot:
    def move(self, board, old_move, flag):
        while True:
            os.write(5, b"x" * 65536)
