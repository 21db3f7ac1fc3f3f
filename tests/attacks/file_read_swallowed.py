"""Reads a file, and swallows what comes of it."""

# verdict: forbidden: /etc/shadow


class Bot:
    def move(self, board, old_move, flag):
        try:
            open("/etc/shadow")
        except BaseException:
            pass
        return board.find_valid_move_cells(old_move)[0]
