"""Asks which processors another process runs on."""

# verdict: crash: ProcessLookupError

import os


class Bot:
    def move(self, board, old_move, flag):
        os.sched_getaffinity(os.getppid())
        return board.find_valid_move_cells(old_move)[0]
