"""Puts objects on the board that are equal to everything."""

# verdict: tamper


class Bot:
    def move(self, board, old_move, flag):
        class Same(str):
            def __eq__(self, other):
                return True

            __hash__ = str.__hash__

        move = board.find_valid_move_cells(old_move)[0]
        board.board_status[0][0] = Same("*")
        return move
