"""Takes a lock twice."""

# verdict: time: no answer

import threading


class Bot:
    def move(self, board, old_move, flag):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
