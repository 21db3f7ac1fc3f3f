"""Sends itself signals that it handles, and gives its processor away now and then."""

import os
import signal
import time

heard = []
signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))


class Bot:
    def move(self, board, old_move, flag):
        heard.clear()
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)
        assert len(heard) == 2
        os.sched_yield()
        time.sleep(0)
        return board.find_valid_move_cells(old_move)[0]
