"""Kills every process."""

# verdict: forbidden: signal

import os
import signal


class Bot:
    def move(self, board, old_move, flag):
        os.kill(-1, signal.SIGKILL)
        return board.find_valid_move_cells(old_move)[0]
