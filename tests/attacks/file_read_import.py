"""Reads a file before there is a bot."""

# verdict: forbidden: /etc/hostname

SECRET = open("/etc/hostname").read()


class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
