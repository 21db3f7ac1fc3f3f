"""Pretends that somebody pressed Ctrl-C."""

# verdict: crash: KeyboardInterrupt


class Bot:
    def move(self, board, old_move, flag):
        raise KeyboardInterrupt
