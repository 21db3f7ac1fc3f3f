"""Starts a pool of threads."""

# verdict: forbidden: thread

import concurrent.futures


class Bot:
    def move(self, board, old_move, flag):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(print)
        return board.find_valid_move_cells(old_move)[0]
