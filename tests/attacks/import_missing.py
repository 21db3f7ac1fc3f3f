"""Imports what bots do not have."""

# verdict: crash: ModuleNotFoundError

import sqlite3


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
