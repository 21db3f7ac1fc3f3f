"""Returns a very long tuple."""

# verdict: invalid: a tuple


class Bot:
    def move(self, board, old_move, flag):
        return (0,) * 10**6
