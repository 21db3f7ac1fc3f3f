"""Opens a socket by the number of the call."""

# verdict: forbidden: network

import ctypes

from noughts.sandbox._syscalls import NUMBERS


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(NUMBERS["socket"], 2, 1, 0)
        return board.find_valid_move_cells(old_move)[0]
