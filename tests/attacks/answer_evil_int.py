"""Returns an int that is not what it seems."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        class Evil(int):
            def __eq__(self, other):
                return True

            def __lt__(self, other):
                return True

            __hash__ = int.__hash__

        return (Evil(99), Evil(99))
