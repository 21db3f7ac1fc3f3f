"""Kills itself."""

# verdict: forbidden: SIGKILL

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.raise_signal(signal.SIGKILL)
