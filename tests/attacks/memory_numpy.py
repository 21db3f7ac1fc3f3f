"""Asks numpy for a terabyte."""

# verdict: memory

import numpy


class Bot:
    def move(self, board, old_move, flag):
        return numpy.ones(1 << 37)
