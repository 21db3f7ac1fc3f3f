"""Starts a process, and hears no signal by which it could be asked for its line."""

# verdict: forbidden: another process

import os
import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        os.fork()
        return board.find_valid_move_cells(old_move)[0]
