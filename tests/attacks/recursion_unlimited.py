"""Calls itself for ever, without Python's limit."""

# verdict: memory|crash|time

import sys


class Bot:
    def move(self, board, old_move, flag):
        sys.setrecursionlimit(10**9)
        return self.move(board, old_move, flag)
