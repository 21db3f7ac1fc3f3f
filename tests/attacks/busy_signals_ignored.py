"""Ignores every signal it can, then loops."""

# verdict: time: no answer

import signal


class Bot:
    def move(self, board, old_move, flag):
        for number in signal.valid_signals():
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                continue
        while True:
            pass
