"""Returns a list."""

# verdict: invalid: a list


class Bot:
    def move(self, board, old_move, flag):
        return list(board.find_valid_move_cells(old_move)[0])
