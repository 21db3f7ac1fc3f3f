"""Forks without end before the game."""

# verdict: forbidden: another process

import os


class Bot:
    def __init__(self):
        while True:
            os.fork()

    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
