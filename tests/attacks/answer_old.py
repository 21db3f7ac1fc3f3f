"""Returns its first move for ever."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        self.first = getattr(self, "first", None) or board.find_valid_move_cells(old_move)[0]
        return self.first
