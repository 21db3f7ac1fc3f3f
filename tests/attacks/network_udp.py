"""Opens a datagram socket."""

# verdict: forbidden: network

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        return board.find_valid_move_cells(old_move)[0]
