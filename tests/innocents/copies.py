"""Plays moves on deep copies of the board."""

import copy


class Bot:
    def move(self, board, old_move, flag):
        for move in board.find_valid_move_cells(old_move)[:3]:
            again = copy.deepcopy(board)
            status, _won = again.update(old_move, move, flag)
            assert status == "SUCCESSFUL" and again.board_status != board.board_status
            assert board.check_valid_move(old_move, move)
        return move
