"""Waits in every way that Python has: for a signal, for a time, for no descriptor at all."""

import select
import signal
import time

rung = []


class Bot:
    def move(self, board, old_move, flag):
        signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        signal.pause()
        signal.alarm(1)
        assert signal.alarm(0) == 1
        assert rung
        time.sleep(0.001)
        select.select([], [], [], 0.001)
        select.poll().poll(1)
        return board.find_valid_move_cells(old_move)[0]
