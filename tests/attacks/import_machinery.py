"""Loads a module from a file by hand."""

# verdict: crash|forbidden

import importlib.util


class Bot:
    def move(self, board, old_move, flag):
        spec = importlib.util.spec_from_file_location("x", "/usr/lib/python3/x.py")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        return board.find_valid_move_cells(old_move)[0]
