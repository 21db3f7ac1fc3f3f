"""Loops before there is a bot."""

# verdict: time: not loaded

while True:
    pass


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
