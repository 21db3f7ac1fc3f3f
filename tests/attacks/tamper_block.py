"""Gives itself a block."""

# verdict: tamper: block


class Bot:
    def move(self, board, old_move, flag):
        board.block_status[0][0] = flag
        return board.find_valid_move_cells(old_move)[0]
