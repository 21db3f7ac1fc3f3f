"""Starts a process, again and again if it is interrupted, and answers the referee's signal with more of it."""

# verdict: forbidden: another process

import contextlib
import os
import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.signal(signal.SIGUSR2, lambda number, frame: os.fork())
        while True:
            with contextlib.suppress(OSError):
                os.fork()
