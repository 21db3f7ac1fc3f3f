"""Wants to run memory that it has written."""

# verdict: crash|plays

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        page = ctypes.create_string_buffer(8192)
        start = (ctypes.addressof(page) + 4095) & ~4095
        assert libc.mprotect(ctypes.c_void_p(start), 4096, 7) == -1, "code can be made"
        return board.find_valid_move_cells(old_move)[0]
