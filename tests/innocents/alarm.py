"""Sets an alarm of its own, to stop its search in time, and forgets to turn it off."""

import signal


class Bot:
    def move(self, board, old_move, flag):
        def ring(number, frame):
            raise TimeoutError

        moves = board.find_valid_move_cells(old_move)
        try:
            signal.signal(signal.SIGALRM, ring)
            searches = len(moves) > 60
            # Later it is long: on a busy machine a short one may go off between this block and the answer.
            signal.setitimer(signal.ITIMER_REAL, 0.05 if searches else 2)
            if searches:
                while True:
                    pass
        except TimeoutError:
            pass
        return moves[0]
