"""Looks for files that Python itself looks for, without end."""

# verdict: time: no answer


class Bot:
    def move(self, board, old_move, flag):
        while True:
            try:
                open("<string>")
            except OSError:
                continue
