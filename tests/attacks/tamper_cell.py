"""Makes a second mark."""

# verdict: tamper: cell


class Bot:
    def move(self, board, old_move, flag):
        board.board_status[0][0] = "o" if flag == "x" else "x"
        return board.find_valid_move_cells(old_move)[0]
