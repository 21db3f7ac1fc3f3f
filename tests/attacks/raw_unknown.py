"""Makes a call that no kernel has."""

# verdict: forbidden

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(9999)
        return board.find_valid_move_cells(old_move)[0]
