"""Opens a file by an old call."""

# verdict: forbidden: /etc/passwd

import ctypes

from noughts.sandbox._syscalls import NUMBERS

# The older call has no folder before the path; not every machine has it.
OPEN = (NUMBERS["open"],) if "open" in NUMBERS else (NUMBERS["openat"], -100)


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall(*OPEN, b"/etc/passwd", 0)
        return board.find_valid_move_cells(old_move)[0]
