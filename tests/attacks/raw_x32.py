"""Makes a call through the x32 interface."""

# verdict: forbidden

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(0x40000000 + 57)
        return board.find_valid_move_cells(old_move)[0]
