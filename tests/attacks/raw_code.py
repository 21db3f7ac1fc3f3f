"""Wants memory that can be written and run."""

# verdict: crash|plays

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        address = libc.mmap(0, 4096, 7, 0x22, -1, 0)
        assert address == ctypes.c_void_p(-1).value, "code can be made"
        return board.find_valid_move_cells(old_move)[0]
