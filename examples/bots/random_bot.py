"""The shortest bot that obeys the rules: any valid cell, each as likely. Works in every nested game."""

import random


class RandomBot:
    def move(self, board, old_move, flag):
        return random.choice(board.find_valid_move_cells(old_move))
