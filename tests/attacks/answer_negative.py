"""Returns a cell before the board."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        return (-1, -1)
