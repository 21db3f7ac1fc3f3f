"""Leaves before the game."""

# verdict: crash: SystemExit

import sys


class Bot:
    def __init__(self):
        sys.exit(3)

    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
