"""Sleeps again and again for next to no time."""

# verdict: time: no answer

import os
import time


class Bot:
    def move(self, board, old_move, flag):
        while True:
            time.sleep(1e-6)
            os.sched_yield()
