"""Lists a folder."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        return os.listdir("/")
