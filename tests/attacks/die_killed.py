"""Kills itself."""

# verdict: crash: SIGKILL

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.raise_signal(signal.SIGKILL)
