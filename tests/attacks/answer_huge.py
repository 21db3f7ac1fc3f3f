"""Returns a number of a million digits."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        return (1 << 3000000, 0)
