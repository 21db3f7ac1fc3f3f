"""Returns a number."""

# verdict: invalid: an int


class Bot:
    def move(self, board, old_move, flag):
        return 5
