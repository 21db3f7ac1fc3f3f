"""Leaves its alarm on when it answers."""

import signal


class Bot:
    def move(self, board, old_move, flag):
        move = board.find_valid_move_cells(old_move)[0]
        signal.signal(signal.SIGALRM, self.ring)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        return move

    def ring(self, number, frame):
        raise TimeoutError
