"""Returns a list that holds itself."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        knot = []
        knot.append(knot)
        return (knot, knot)
