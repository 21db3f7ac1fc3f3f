"""Makes the board larger."""

# verdict: tamper: size


class Bot:
    def move(self, board, old_move, flag):
        board.board_status.append(["-"] * 9)
        return board.find_valid_move_cells(old_move)[-1]
