"""Reads the map of its own memory."""

# verdict: forbidden: /proc/self/maps


class Bot:
    def move(self, board, old_move, flag):
        return open("/proc/self/maps").read()
