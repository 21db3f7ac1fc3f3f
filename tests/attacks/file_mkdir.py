"""Makes a folder."""

# verdict: forbidden: mkdir

import os


class Bot:
    def move(self, board, old_move, flag):
        os.mkdir("/tmp/noughts-attack")
        return board.find_valid_move_cells(old_move)[0]
