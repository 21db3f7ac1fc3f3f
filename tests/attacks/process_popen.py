"""Runs a command and reads its output."""

# verdict: forbidden: another process

import os


class Bot:
    def move(self, board, old_move, flag):
        return os.popen("id").read()
