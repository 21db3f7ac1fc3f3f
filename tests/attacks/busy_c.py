"""Loops for ever inside one call of C code."""

# verdict: time: no answer


class Bot:
    def move(self, board, old_move, flag):
        return sum(iter(int, 1))
