"""Swallows MemoryError and asks again."""

# verdict: time|memory


class Bot:
    def move(self, board, old_move, flag):
        kept = []
        while True:
            try:
                kept.append(bytearray(1 << 24))
            except MemoryError:
                continue
