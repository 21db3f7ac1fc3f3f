"""Keeps what it learnt between moves, and the board."""


class Bot:
    def __init__(self):
        self.seen = {}
        self.killers = {}
        self.board = None

    def move(self, board, old_move, flag):
        self.board = board
        self.seen[str(board.board_status)] = len(self.seen)
        self.killers.setdefault(old_move, []).append(flag)
        return board.find_valid_move_cells(old_move)[0]
