"""Changes the rights of a file."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        os.chmod("/tmp", 0o777)
        return board.find_valid_move_cells(old_move)[0]
