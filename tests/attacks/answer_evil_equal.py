"""Returns an object that is equal to everything."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        class Evil:
            def __eq__(self, other):
                return True

            __hash__ = None

        return Evil()
