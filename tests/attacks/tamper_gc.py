"""Changes the game through the garbage collector."""

# verdict: tamper|crash|plays|forbidden|invalid

import gc


class Bot:
    def move(self, board, old_move, flag):
        for thing in gc.get_objects():
            if type(thing).__name__ == "State" and hasattr(thing, "owners"):
                thing.owners[:] = [0 if flag == "x" else 1] * len(thing.owners)
        return (4, 4)
