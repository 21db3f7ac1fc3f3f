"""Starts a thread."""

# verdict: forbidden: thread

import threading


class Bot:
    def move(self, board, old_move, flag):
        threading.Thread(target=print).start()
        return board.find_valid_move_cells(old_move)[0]
