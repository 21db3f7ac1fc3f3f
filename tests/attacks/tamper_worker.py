"""Breaks our code inside."""

# verdict: crash|forbidden|time

import sys


class Bot:
    def move(self, board, old_move, flag):
        worker = sys.modules["noughts.sandbox.worker.main"]
        worker.pack = lambda message: b""
        return (4, 4)
