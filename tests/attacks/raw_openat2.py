"""Opens a file by a new call."""

# verdict: forbidden

import ctypes

from noughts.sandbox._syscalls import NUMBERS


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(NUMBERS["openat2"], -100, b"/etc/passwd", 0, 24)
        return board.find_valid_move_cells(old_move)[0]
