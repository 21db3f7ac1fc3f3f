"""Raises an exception whose text would command the reader's terminal."""

# verdict: crash: ValueError


class Bot:
    def move(self, board, old_move, flag):
        print("\x1b]0;owned\x07")
        raise ValueError("\x1b[2J\x1b]52;c;aGVsbG8=\x07")
