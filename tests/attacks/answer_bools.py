"""Returns truth values."""

# verdict: invalid: bool


class Bot:
    def move(self, board, old_move, flag):
        return (True, False)
