"""Writes a file."""

# verdict: forbidden: write to the file


class Bot:
    def move(self, board, old_move, flag):
        open("/tmp/noughts-attack", "w").write("x")
        return board.find_valid_move_cells(old_move)[0]
