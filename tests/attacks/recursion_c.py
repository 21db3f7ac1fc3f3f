"""Recurses in C until the stack is gone."""

# verdict: crash|memory|time

import sys


class Bot:
    def move(self, board, old_move, flag):
        sys.setrecursionlimit(10**9)
        nested = ()
        for _ in range(1000000):
            nested = (nested,)
        return hash(nested)
