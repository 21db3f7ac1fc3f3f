"""Opens a local socket."""

# verdict: forbidden: network

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.socket(socket.AF_UNIX)
        return board.find_valid_move_cells(old_move)[0]
