"""Prints whole boards all the time."""

import sys


class Bot:
    def move(self, board, old_move, flag):
        board.print_board()
        print("thinking", old_move, flag, file=sys.stderr)
        sys.stdout.write("x\\n")
        sys.stdout.flush()
        return board.find_valid_move_cells(old_move)[0]
