"""Forks by the number of the call."""

# verdict: forbidden: another process

import ctypes

from noughts.sandbox._syscalls import NUMBERS

# Not every machine has the call; clone does the same.
FORK = (NUMBERS["fork"],) if "fork" in NUMBERS else (NUMBERS["clone"], 17, 0, 0, 0, 0)


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(*FORK)
        return board.find_valid_move_cells(old_move)[0]
