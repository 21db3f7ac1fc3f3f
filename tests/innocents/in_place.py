"""Searches on the board it is given, and restores it."""


class Bot:
    def move(self, board, old_move, flag):
        best = None
        for move in board.find_valid_move_cells(old_move):
            row, col = move
            kept = [line[:] for line in board.block_status]
            board.board_status[row][col] = flag
            board.find_terminal_state()
            board.board_status[row][col] = "-"
            board.block_status = kept
            best = best or move
        return best
