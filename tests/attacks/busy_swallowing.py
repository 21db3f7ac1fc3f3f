"""Swallows every exception that a clock could throw at it."""

# verdict: time: no answer


class Bot:
    def move(self, board, old_move, flag):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
