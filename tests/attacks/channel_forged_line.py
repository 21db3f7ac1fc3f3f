"""Reports a crash in our name, on a line with thousands of digits."""

# verdict: crash

import sys


class Bot:
    def move(self, board, old_move, flag):
        worker = sys.modules["noughts.sandbox.worker.main"]
        worker.plain_answer = lambda value, is_tuple: {"crash": {"error": "x" * 30000, "line": 10**4000, "trace": 7}}
        return board.find_valid_move_cells(old_move)[0]
