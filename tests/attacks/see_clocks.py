"""Reads the processor time of other processes, to see when its opponent thinks."""

# verdict: crash: Invalid argument

import os
import time


class Bot:
    def move(self, board, old_move, flag):
        time.clock_gettime((~os.getppid() << 3) | 2)
        return board.find_valid_move_cells(old_move)[0]
