"""Closes the channel and goes on."""

# verdict: forbidden: channel

import os


class Bot:
    def move(self, board, old_move, flag):
        os.close(3)
        while True:
            pass
