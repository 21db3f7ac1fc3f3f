"""Creates a file by its descriptor."""

# verdict: forbidden: write to the file

import os


class Bot:
    def move(self, board, old_move, flag):
        os.open("/tmp/noughts-attack", os.O_CREAT | os.O_RDWR)
        return board.find_valid_move_cells(old_move)[0]
