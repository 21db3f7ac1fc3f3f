"""Forks by an old call."""

# verdict: forbidden: another process

import ctypes

from noughts.sandbox._syscalls import NUMBERS

# Not every machine has the call; clone does the same.
VFORK = (NUMBERS["vfork"],) if "vfork" in NUMBERS else (NUMBERS["clone"], 0x4100 | 17, 0, 0, 0, 0)


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(*VFORK)
        return board.find_valid_move_cells(old_move)[0]
