"""Reports prints in our name that are no text."""

# verdict: plays

import sys


class Bot:
    def move(self, board, old_move, flag):
        worker = sys.modules["noughts.sandbox.worker.main"]
        worker.Prints.take = lambda self: {"a": 1}
        return board.find_valid_move_cells(old_move)[0]
