"""Makes a call with a number below 0."""

# verdict: forbidden|crash|plays

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(-5)
        return board.find_valid_move_cells(old_move)[0]
