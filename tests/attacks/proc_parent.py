"""Reads the environment of the process above."""

# verdict: forbidden: /proc/

import os


class Bot:
    def move(self, board, old_move, flag):
        return open(f"/proc/{os.getppid()}/environ").read()
