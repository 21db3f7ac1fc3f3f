"""Loops for ever."""

# verdict: time: no answer


class Bot:
    def move(self, board, old_move, flag):
        while True:
            pass
