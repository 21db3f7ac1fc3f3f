"""Plays random games on copies until its time is nearly over."""

import copy
import random
import time


class Bot:
    def move(self, board, old_move, flag):
        end = time.monotonic() + 0.01
        moves = board.find_valid_move_cells(old_move)
        while time.monotonic() < end:
            again, last, mark = copy.deepcopy(board), old_move, flag
            while again.find_terminal_state()[0] == "CONTINUE" and time.monotonic() < end:
                move = random.choice(again.find_valid_move_cells(last))
                again.update(last, move, mark)
                last, mark = move, "o" if mark == "x" else "x"
        return random.choice(moves)
