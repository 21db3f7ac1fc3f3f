"""Lets a regular expression backtrack for ever."""

# verdict: time

import re


class Bot:
    def move(self, board, old_move, flag):
        return re.match(r"(a+)+$", "a" * 60 + "b")
