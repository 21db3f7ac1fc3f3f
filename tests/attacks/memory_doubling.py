"""Doubles a string for ever."""

# verdict: memory


class Bot:
    def move(self, board, old_move, flag):
        text = "x"
        while True:
            text += text
