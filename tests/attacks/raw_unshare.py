"""Makes a name space of its own."""

# verdict: forbidden

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(272, 0x10000000)
        return board.find_valid_move_cells(old_move)[0]
