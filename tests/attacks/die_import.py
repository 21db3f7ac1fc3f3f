"""Fails before there is a bot."""

# verdict: crash: ZeroDivisionError

RATIO = 1 / 0


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
