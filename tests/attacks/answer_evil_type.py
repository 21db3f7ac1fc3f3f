"""Returns an object with a lie for a type."""

# verdict: invalid|crash


class Bot:
    def move(self, board, old_move, flag):
        class Evil:
            __class__ = tuple

            def __len__(self):
                return 2

            def __getitem__(self, index):
                return 0

        return Evil()
