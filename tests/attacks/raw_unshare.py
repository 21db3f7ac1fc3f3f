"""Makes a name space of its own."""

# verdict: forbidden

import ctypes

from noughts.sandbox._syscalls import NUMBERS


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(NUMBERS["unshare"], 0x10000000)
        return board.find_valid_move_cells(old_move)[0]
