"""Breaks what our code inside is made of."""

# verdict: crash|plays|forbidden|invalid|time|memory

import builtins


class Bot:
    def move(self, board, old_move, flag):
        builtins.len = builtins.all = builtins.type = builtins.isinstance = lambda *_: 0
        return (4, 4)
