"""Fills the queue of signals that all processes of a user share."""

# verdict: plays

import ctypes
import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(34, 65))
        libc = ctypes.CDLL(None, use_errno=True)
        sent = 0
        while sent < 1000 and getattr(libc, "raise")(50) == 0:
            sent += 1
        assert sent <= 8
        return board.find_valid_move_cells(old_move)[0]
