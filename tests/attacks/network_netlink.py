"""Asks the kernel about its network."""

# verdict: forbidden: network

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.socket(16, socket.SOCK_RAW)
        return board.find_valid_move_cells(old_move)[0]
