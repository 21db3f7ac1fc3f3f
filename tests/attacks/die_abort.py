"""Aborts."""

# verdict: crash: SIGABRT

import os


class Bot:
    def move(self, board, old_move, flag):
        os.abort()
