"""Returns a cell off the board."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        return (9, 9)
