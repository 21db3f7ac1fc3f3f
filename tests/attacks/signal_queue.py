"""Fills the queue of signals that all processes of a user share, or looks how full it is."""

# verdict: plays

import ctypes
import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(34, 65))
        libc = ctypes.CDLL(None, use_errno=True)
        assert getattr(libc, "raise")(50) != 0, "one that is queued would be counted"
        return board.find_valid_move_cells(old_move)[0]
