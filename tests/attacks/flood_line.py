"""Prints one endless line."""

# verdict: plays


class Bot:
    def move(self, board, old_move, flag):
        print("x" * 10**6)
        return board.find_valid_move_cells(old_move)[0]
