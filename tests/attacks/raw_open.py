"""Opens a file by an old call."""

# verdict: forbidden: /etc/passwd

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(2, b"/etc/passwd", 0)
        return board.find_valid_move_cells(old_move)[0]
