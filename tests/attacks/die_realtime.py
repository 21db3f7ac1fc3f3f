"""Ends itself by a signal that has no name."""

# verdict: crash: signal

import os


class Bot:
    def move(self, board, old_move, flag):
        os.kill(os.getpid(), 40)
