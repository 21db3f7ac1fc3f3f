"""Changes the game through the frames above."""

# verdict: invalid|plays|crash

import sys


class Bot:
    def move(self, board, old_move, flag):
        frame = sys._getframe(1)
        while frame:
            state = frame.f_locals.get("state")
            if state is not None:
                state.player = 1 - state.player
            frame = frame.f_back
        return (4, 4)
