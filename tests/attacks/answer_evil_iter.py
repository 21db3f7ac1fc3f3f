"""Returns a tuple that never ends."""

# verdict: invalid|time


class Bot:
    def move(self, board, old_move, flag):
        class Evil(tuple):
            def __iter__(self):
                while True:
                    yield 0

            def __len__(self):
                return 2

        return Evil((0, 0))
