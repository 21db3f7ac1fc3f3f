"""Stops its own process, so that nobody can ask it anything."""

# verdict: forbidden: SIGSTOP

import signal


class Bot:
    def move(self, board, old_move, flag):
        signal.raise_signal(signal.SIGSTOP)
        return board.find_valid_move_cells(old_move)[0]
