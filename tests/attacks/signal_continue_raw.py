"""Sends itself the signal that undoes a stop, by each call that sends signals and past the library."""

# verdict: forbidden: SIGCONT

import ctypes
import os
import signal


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(62, os.getpid(), signal.SIGCONT)
        return board.find_valid_move_cells(old_move)[0]
