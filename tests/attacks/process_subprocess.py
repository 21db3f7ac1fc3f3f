"""Runs a command through subprocess."""

# verdict: forbidden: another process

import subprocess


class Bot:
    def move(self, board, old_move, flag):
        subprocess.run(["id"])
        return board.find_valid_move_cells(old_move)[0]
