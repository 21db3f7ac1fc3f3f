"""Uses locks, conditions and queues as programs with threads do, though it has one thread."""

import queue
import threading


class Bot:
    def move(self, board, old_move, flag):
        lock, again = threading.Lock(), threading.RLock()
        with lock, again, again:
            assert not lock.acquire(timeout=0.001)
        condition = threading.Condition()
        with condition:
            assert not condition.wait(timeout=0.001)
            condition.notify_all()
        assert not threading.Event().wait(0.001)
        assert not threading.Semaphore(0).acquire(timeout=0.001)
        items = queue.Queue()
        items.put(board.find_valid_move_cells(old_move)[0])
        return items.get(timeout=1)
