"""Reports a crash in our name, with things that are no text."""

# verdict: crash

import sys


class Bot:
    def move(self, board, old_move, flag):
        worker = sys.modules["noughts.sandbox.worker.main"]
        worker.plain_answer = lambda value, is_tuple: {"crash": [1, {"line": {}}]}
        return board.find_valid_move_cells(old_move)[0]
