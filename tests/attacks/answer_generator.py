"""Returns something to iterate."""

# verdict: invalid: generator


class Bot:
    def move(self, board, old_move, flag):
        return (n for n in (0, 0))
