"""Starts a worker process."""

# verdict: forbidden

import multiprocessing


class Bot:
    def move(self, board, old_move, flag):
        multiprocessing.get_context("fork").Process(target=print).start()
        return board.find_valid_move_cells(old_move)[0]
