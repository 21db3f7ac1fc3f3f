"""Goes to another folder."""

# verdict: forbidden: chdir

import os


class Bot:
    def move(self, board, old_move, flag):
        os.chdir("/tmp")
        return board.find_valid_move_cells(old_move)[0]
