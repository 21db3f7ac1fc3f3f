"""Sends itself the signal that undoes a stop, by each call that sends signals and past the library."""

# verdict: forbidden: SIGCONT

import ctypes
import os
import signal

from noughts.sandbox._syscalls import NUMBERS


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(NUMBERS["kill"], os.getpid(), signal.SIGCONT)
        return board.find_valid_move_cells(old_move)[0]
