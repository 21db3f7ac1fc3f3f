"""Returns an object that raises when it is shown."""

# verdict: invalid|crash


class Bot:
    def move(self, board, old_move, flag):
        class Evil:
            def __repr__(self):
                raise SystemExit

        return (Evil(), Evil())
