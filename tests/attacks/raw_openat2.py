"""Opens a file by a new call."""

# verdict: forbidden

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(437, -100, b"/etc/passwd", 0, 24)
        return board.find_valid_move_cells(old_move)[0]
