"""Keeps the lists of its first move, and looks at the game in them, as it can with the course's evaluator."""


class Bot:
    def __init__(self):
        self.kept = None

    def move(self, board, old_move, flag):
        if self.kept is None:
            self.kept = board, board.board_status, board.block_status, list(board.board_status)
        same, cells, blocks, rows = self.kept
        assert board is same
        assert board.board_status is cells
        assert board.block_status is blocks
        assert all(new is old for new, old in zip(cells, rows, strict=True))
        if old_move != (-1, -1):
            assert rows[old_move[0]][old_move[1]] == "xo"[flag == "x"]
        return board.find_valid_move_cells(old_move)[0]
