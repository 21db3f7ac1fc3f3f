"""Loops in its constructor."""

# verdict: time: not loaded


class Bot:
    def __init__(self):
        while True:
            pass

    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
