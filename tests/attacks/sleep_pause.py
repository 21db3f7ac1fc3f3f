"""Waits for a signal that never comes."""

# verdict: time: no answer

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pause()
