"""Takes hold of another process."""

# verdict: forbidden: signal

import os


class Bot:
    def move(self, board, old_move, flag):
        os.pidfd_open(os.getppid())
        return board.find_valid_move_cells(old_move)[0]
