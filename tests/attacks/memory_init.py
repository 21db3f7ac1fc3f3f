"""Uses up its memory before the game."""

# verdict: memory


class Bot:
    def __init__(self):
        self.kept = [bytearray(1 << 20) for _ in range(100000)]

    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
