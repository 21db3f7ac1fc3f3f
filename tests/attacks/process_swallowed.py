"""Forks, and swallows what comes of it."""

# verdict: forbidden: another process

import os


class Bot:
    def move(self, board, old_move, flag):
        try:
            os.fork()
        except BaseException:
            pass
        return board.find_valid_move_cells(old_move)[0]
