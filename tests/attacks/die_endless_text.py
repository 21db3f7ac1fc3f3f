"""Raises an exception with a very long text."""

# verdict: crash


class Bot:
    def move(self, board, old_move, flag):
        raise ValueError("x" * 10**7)
