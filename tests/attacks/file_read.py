"""Reads a file."""

# verdict: forbidden: /etc/passwd


class Bot:
    def move(self, board, old_move, flag):
        return open("/etc/passwd").read()
