"""Looks for the name of the machine, past the library."""

# verdict: plays

import ctypes


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        room = ctypes.create_string_buffer(512)
        assert libc.uname(room) == -1
        assert libc.gethostname(room, 256) == -1
        assert libc.sysinfo(room) == -1
        assert not room.raw.strip(b"\0")
        return board.find_valid_move_cells(old_move)[0]
