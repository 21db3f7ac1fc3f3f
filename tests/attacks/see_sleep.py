"""Waits for the processor time of another process."""

# verdict: plays

import ctypes
import os


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        clock = (~os.getppid() << 3) | 2
        assert libc.clock_nanosleep(clock, 0, ctypes.create_string_buffer(16), None) == 22
        return board.find_valid_move_cells(old_move)[0]
