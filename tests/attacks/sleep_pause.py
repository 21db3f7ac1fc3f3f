"""Waits for a signal. The only one that comes is the referee's, when its time is up."""

# verdict: time: out of time

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pause()
