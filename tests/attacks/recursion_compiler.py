"""Compiles source nested too deep."""

# verdict: crash|memory


class Bot:
    def move(self, board, old_move, flag):
        return eval("(" * 5000 + ")" * 5000)
