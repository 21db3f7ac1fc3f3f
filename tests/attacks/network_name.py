"""Looks a host name up."""

# verdict: forbidden

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.gethostbyname("example.org")
        return board.find_valid_move_cells(old_move)[0]
