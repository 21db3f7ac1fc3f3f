"""Calls itself for ever."""

# verdict: crash: RecursionError


class Bot:
    def move(self, board, old_move, flag):
        return self.move(board, old_move, flag)
