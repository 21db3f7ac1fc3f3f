"""Ends its process at once."""

# verdict: crash: exit status 0

import os


class Bot:
    def move(self, board, old_move, flag):
        os._exit(0)
