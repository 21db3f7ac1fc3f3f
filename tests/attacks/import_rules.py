"""Loads the compiled rules of the referee."""

# verdict: crash

import noughts.game


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
