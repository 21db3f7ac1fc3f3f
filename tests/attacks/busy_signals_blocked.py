"""Blocks every signal, then loops."""

# verdict: time: no answer

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            pass
