"""Fills a large table, within its memory."""


class Bot:
    def __init__(self):
        self.table = {}

    def move(self, board, old_move, flag):
        for i in range(2000):
            self.table[len(self.table)] = (i, float(i))
        return board.find_valid_move_cells(old_move)[0]
