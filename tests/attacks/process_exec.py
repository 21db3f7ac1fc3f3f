"""Becomes another program."""

# verdict: forbidden: another process

import os


class Bot:
    def move(self, board, old_move, flag):
        os.execv("/bin/sh", ["sh", "-c", "sleep 60"])
