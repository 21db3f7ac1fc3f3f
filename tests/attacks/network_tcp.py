"""Opens a connection."""

# verdict: forbidden: network

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.create_connection(("127.0.0.1", 80))
        return board.find_valid_move_cells(old_move)[0]
