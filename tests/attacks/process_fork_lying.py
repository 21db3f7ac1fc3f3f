"""Writes down lines where it never was, and starts a process."""

# verdict: forbidden: another process

import os


class Bot:
    def move(self, board, old_move, flag):
        for _ in range(3):
            os.write(5, b'  File "<process_fork_lying.py>", line 1 in move\n')
        os.fork()
        return board.find_valid_move_cells(old_move)[0]
