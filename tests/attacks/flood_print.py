"""Prints a great deal."""

# verdict: plays


class Bot:
    def move(self, board, old_move, flag):
        for _ in range(2000):
            print("x" * 200)
        return board.find_valid_move_cells(old_move)[0]
