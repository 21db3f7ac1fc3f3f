"""Changes the limits of another process while it asks for them."""

# verdict: plays

import ctypes
import os


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        room = ctypes.create_string_buffer(16)
        assert libc.prlimit(os.getppid(), 7, None, room) == -1
        assert libc.prlimit(0, 7, room, None) == -1
        assert libc.prlimit(0, 7, None, room) == 0
        return board.find_valid_move_cells(old_move)[0]
