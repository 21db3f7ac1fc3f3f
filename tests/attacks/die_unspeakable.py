"""Raises an exception that cannot be shown."""

# verdict: crash


class Bot:
    def move(self, board, old_move, flag):
        class Unspeakable(Exception):
            def __str__(self):
                raise self

        raise Unspeakable
