"""Lets an alarm ring that it never answers."""

# verdict: crash: SIGALRM

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            pass
