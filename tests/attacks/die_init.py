"""Fails before the game."""

# verdict: crash: ZeroDivisionError


class Bot:
    def __init__(self):
        self.ratio = 1 / 0

    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
