"""Takes the board away."""

# verdict: tamper


class Bot:
    def move(self, board, old_move, flag):
        move = board.find_valid_move_cells(old_move)[0]
        del board.board_status
        return move
