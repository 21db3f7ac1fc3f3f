"""Ends itself by a signal that has no name."""

# verdict: crash: signal

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.raise_signal(40)
