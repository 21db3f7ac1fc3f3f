"""Returns numbers that are another each time."""

# verdict: invalid


class Bot:
    def move(self, board, old_move, flag):
        class Evil:
            def __index__(self):
                return 0

            __int__ = __index__

        return (Evil(), Evil())
