"""Becomes another program by the number of the call."""

# verdict: forbidden: another process

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(59, b"/bin/sh", 0, 0)
        return board.find_valid_move_cells(old_move)[0]
