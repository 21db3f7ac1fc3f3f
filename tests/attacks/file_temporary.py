"""Makes a temporary file."""

# verdict: forbidden|crash

import tempfile


class Bot:
    def move(self, board, old_move, flag):
        return tempfile.NamedTemporaryFile().name
