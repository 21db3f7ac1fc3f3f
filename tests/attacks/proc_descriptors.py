"""Lists its descriptors."""

# verdict: forbidden

import os


class Bot:
    def move(self, board, old_move, flag):
        return os.listdir("/proc/self/fd")
