"""Answers in our name with things that are no numbers."""

# verdict: invalid

import sys


class Bot:
    def move(self, board, old_move, flag):
        worker = sys.modules["noughts.sandbox.worker.main"]
        worker.plain_answer = lambda value, is_tuple: {"answer": [{}, "x"], "changed": None, "numpy": [1]}
        return board.find_valid_move_cells(old_move)[0]
