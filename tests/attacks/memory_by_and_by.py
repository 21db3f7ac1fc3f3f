"""Keeps small objects until nothing is left."""

# verdict: memory


class Bot:
    def move(self, board, old_move, flag):
        kept = []
        while True:
            kept.append([0] * 1000)
