"""Spawns a command."""

# verdict: forbidden: another process

import os


class Bot:
    def move(self, board, old_move, flag):
        os.posix_spawn("/bin/true", ["true"], {})
        return board.find_valid_move_cells(old_move)[0]
