"""Raises its limits: it cannot."""

# verdict: plays

import ctypes

from noughts.sandbox._syscalls import NUMBERS


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(NUMBERS["prlimit64"], 0, 9, b"\xff" * 16, 0)
        return board.find_valid_move_cells(old_move)[0]
