"""Makes a link."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        os.symlink("/etc/passwd", "/tmp/noughts-attack")
        return board.find_valid_move_cells(old_move)[0]
