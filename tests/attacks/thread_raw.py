"""Starts a thread by the low-level module."""

# verdict: forbidden: thread

import _thread


class Bot:
    def move(self, board, old_move, flag):
        _thread.start_new_thread(print, ())
        return board.find_valid_move_cells(old_move)[0]
