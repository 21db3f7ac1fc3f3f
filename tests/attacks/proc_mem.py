"""Writes to its own memory as a file."""

# verdict: forbidden: /proc/self/mem


class Bot:
    def move(self, board, old_move, flag):
        open("/proc/self/mem", "r+b")
        return board.find_valid_move_cells(old_move)[0]
