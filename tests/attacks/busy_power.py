"""Computes a number with more digits than there is time for."""

# verdict: time|memory


class Bot:
    def move(self, board, old_move, flag):
        return len(str(7**7**8))
